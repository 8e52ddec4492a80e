"""What `lve run` prints for people."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from reporting.reports import MIXED, play, report
from support.examples import examples
from support.results import make_result, make_transcript, results

from lve.escape import columns
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation


def test_the_text_report_says_what_happened() -> None:
    assert report("text", MIXED, skipped={"d": "later"}, failed_attempts={"rate_limit": 2}) == (
        "✗ b · openai/m · 1/2 passed (pass rate 0.5, 95 % interval 0.013 to 0.987)\n"
        "    instances/x.jsonl:2 (name=Ann): expected 42, found 41\n"
        "✓ a · openai/m · 3/3 passed\n"
        "    2 rows, up to 2 repeats; pass rate 1, 95 % interval 0.292 to 1.000\n"
        "! c · openai/m · 0/1 passed, 1 error\n"
        "    instances/x.jsonl:1 (name=Ann): no answer\n"
        "\n"
        "skipped: d: later\n"
        "4 tests: 1 passed, 1 failed, 1 with errors, 1 skipped\n"
        "6 results (5 rows, up to 2 repeats): 4 passed, 1 failed, 1 error\n"
        "errors: 1 timeout\n"
        "failed attempts: 2 rate_limit\n"
        "recorded verdicts: 2 of 3 the same, 1 failed and now pass\n"
        "    a/instances/x.jsonl:10: failed before, passed now\n"
        "18 tokens in, 24 out · $0.2500 · 6 requests · 1 from the cache · 1.2 s\n"
        "session: .lve/runs/20261121-120000-000-abcd (lve show 20261121-120000-000-abcd)\n"
        "run the errors again with: lve run --retry-errors 20261121-120000-000-abcd\n"
    )


def test_verbose_shows_every_instance_and_transcripts_of_what_did_not_pass() -> None:
    failed = make_result(
        line=7, repeat=1, verdict="failed", reason="bad",
        transcripts=(make_transcript("an\nanswer", "a question"),),
    )  # fmt: skip
    text = report("text", [make_result(), failed], detail="verbose")
    assert "  ✓ repository/a/instances/x.jsonl:1 (name=Ann) openai/m\n" in text
    assert "  ✗ repository/a/instances/x.jsonl:7 (name=Ann) (repeat 2) openai/m: bad\n" in text
    assert "[user]\n        a question\n" in text
    assert "[assistant] (answer)\n        an\n        answer\n" in text
    assert "hello" not in text


def test_a_known_weakness_reads_as_expected() -> None:
    failed = [make_result(line=n, verdict="failed", reason="leaked") for n in (1, 2)]
    text = report("text", failed, expect=Expectation("fail"))
    assert text.startswith(
        "✓ repository/a · openai/m · 2/2 failed, as expected\n\n1 test: 1 passed\n"
    )
    assert "2 rows: 2 failed as expected\n" in text


def test_a_test_of_which_all_is_as_expected_has_one_line_without_verbose() -> None:
    interval = "    pass rate 1, 95 % interval 0.158 to 1.000\n"
    passed = [make_result(line=n) for n in (1, 2)]
    assert interval not in report("text", passed)
    assert interval in report("text", passed, detail="verbose")
    one_error = [*passed, make_result(line=3, verdict="error", transcripts=())]
    assert "    pass rate 2/2 = 1, 95 % interval 0.158 to 1.000\n" in report("text", one_error)
    short = [make_result(test="b", line=n) for n in (1, 2)]
    assert "✓ b · openai/m · 2/2 passed (pass rate 1, 95 % interval" in report("text", short)


def test_verbose_tells_what_a_known_weakness_should_have_done() -> None:
    given = [
        make_result(line=1, verdict="failed", reason="leaked"),
        make_result(line=2, transcripts=(make_transcript("a refusal"),)),
        make_result(line=3, verdict="error", reason="no answer", transcripts=()),
    ]
    text = report("text", given, detail="verbose", expect=Expectation("fail"))
    assert (
        "  ✓ repository/a/instances/x.jsonl:1 (name=Ann) openai/m failed, as expected: leaked\n"
        in text
    )
    assert (
        "  ✗ repository/a/instances/x.jsonl:2 (name=Ann) openai/m passed, and should fail\n" in text
    )
    assert "        a refusal\n" in text
    assert "  ! repository/a/instances/x.jsonl:3 (name=Ann) openai/m: no answer\n" in text


def test_a_recorded_failure_is_said_to_be_the_recorded_one() -> None:
    failed = make_result(line=1, model="replay", verdict="failed", recorded="failed")
    passed = make_result(line=2, model="replay", recorded="passed")
    changed = make_result(line=2, model="replay", recorded="failed")
    text = report("text", [failed, passed])
    assert text.startswith("✗ repository/a · replay · 1/2 passed, as recorded\n")
    assert "\nrecorded answers, nothing was sent · 1.2 s\n" in text
    assert report("text", [failed, changed]).startswith("✗ repository/a · replay · 1/2 passed\n")
    assert report("text", [passed]).startswith("✓ repository/a · replay · 1/1 passed\n")
    verbose = report("text", [failed, changed], detail="verbose")
    assert "  ✗ repository/a/instances/x.jsonl:1 (name=Ann) replay failed, as recorded\n" in verbose
    assert "  ✓ repository/a/instances/x.jsonl:2 (name=Ann) replay\n" in verbose
    asked = [make_result(verdict="failed", recorded="failed")]
    assert "as recorded" not in report("text", asked, detail="verbose")
    assert "nothing was sent" not in report("text", [passed, *asked])


def test_lines_of_tests_fit_eighty_columns() -> None:
    long = make_result(
        test="repository/" + "very/" * 12 + "long", verdict="failed", reason="漢字 " * 100
    )
    stream = io.StringIO()
    play(TextReporter(Terminal(stream, is_terminal=True)), [long])
    for line in stream.getvalue().splitlines():
        assert columns(line) <= 80


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(results, max_size=3))
def test_no_control_character_of_a_result_reaches_the_terminal(
    given_results: list[InstanceResult],
) -> None:
    for detail in ("normal", "verbose"):
        text = report("text", given_results, detail=detail)  # type: ignore[arg-type]
        assert not set(text) & {chr(c) for c in range(32) if chr(c) not in "\n\t"}
        assert "\u202e" not in text
