"""What `lve run` prints, in its three forms."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.results import make_result, make_transcript, results

from lve.documents.schema import load_schema
from lve.escape import columns
from lve.messages import Message, Transcript
from lve.pipeline.result import RunResult
from lve.reporting import REPORTERS, SessionReport
from lve.reporting.reporter import Detail
from lve.reporting.terminal import MAX_LINES, Terminal
from lve.reporting.text import TextReporter
from lve.results.records import InstanceResult
from lve.results.session import SessionFolder
from lve.spec.model import Expectation
from lve.verdicts.summary import Summary

SCHEMA = jsonschema.Draft202012Validator(load_schema("report"))
MIXED = [
    make_result(test="b", line=2, verdict="failed", reason="expected 42, found 41", cost=0.25),
    make_result(test="b", line=1),
    make_result(test="a", line=10, recorded="failed"),
    make_result(test="a", line=9, repeat=1, recorded="passed"),
    make_result(test="a", line=9, recorded="passed", cached=True),
    make_result(
        test="c", verdict="error", reason="no answer", error_kind="timeout", responses=(),
        transcripts=(),
    ),
]  # fmt: skip


def report(
    name: str,
    given_results: list[InstanceResult],
    *,
    detail: Detail = "normal",
    expect: Expectation | None = None,
    **facts: Any,
) -> str:
    stream = io.StringIO()
    reporter = REPORTERS[name](stream, detail)
    play(reporter, given_results, expect=expect, **facts)
    return stream.getvalue()


def play(
    reporter: Any,
    given_results: list[InstanceResult],
    *,
    expect: Expectation | None = None,
    **facts: Any,
) -> None:
    summary = Summary(skipped=facts.pop("skipped", {}), invalid=facts.pop("invalid", {}))
    for result in given_results:
        expected = expect or Expectation()
        summary.expect(result.test, result.model, expected)
        summary.add(result)
        reporter.on_result(result, expected)
    for tally in summary.tallies.values():
        tally.complete()
        reporter.on_tally(tally)
    defaults: dict[str, Any] = {
        "status": "complete",
        "folder": SessionFolder(Path(".lve/runs/20261121-120000-000-abcd")),
        "seconds": 1.25,
        "requests": 6,
    }
    found_with = facts.pop("found_with", "")
    result = RunResult(summary, **{**defaults, **facts})
    reporter.finish(SessionReport(result, found_with=found_with))


def test_the_text_report_says_what_happened() -> None:
    assert report("text", MIXED, skipped={"d": "later"}, failed_attempts={"rate_limit": 2}) == (
        "✗ b · openai/m · 1/2 passed\n"
        "    instances/x.jsonl:2: expected 42, found 41\n"
        "✓ a · openai/m · 3/3 passed\n"
        "! c · openai/m · 0/1 passed, 1 error\n"
        "    instances/x.jsonl:1: no answer\n"
        "\n"
        "skipped: d: later\n"
        "4 tests: 1 passed, 1 failed, 1 with errors, 1 skipped\n"
        "6 instances: 4 passed, 1 failed, 1 error\n"
        "errors: 1 timeout\n"
        "failed attempts: 2 rate_limit\n"
        "recorded verdicts: 2 of 3 the same, 1 failed and now pass\n"
        "    a/instances/x.jsonl:10: failed before, passed now\n"
        "18 tokens in, 24 out · $0.2500 · 6 requests · 1 from the cache · 1.2 s\n"
        "session: .lve/runs/20261121-120000-000-abcd\n"
        "run the errors again with: lve run --retry-errors 20261121-120000-000-abcd\n"
    )


def test_quiet_is_the_summary_only() -> None:
    text = report("text", MIXED, detail="quiet")
    assert text.startswith("3 tests: 1 passed, 1 failed, 1 with errors\n")
    assert "expected 42" not in text


def test_verbose_shows_every_instance_and_transcripts_of_what_did_not_pass() -> None:
    failed = make_result(
        line=7, repeat=1, verdict="failed", reason="bad",
        transcripts=(make_transcript("an\nanswer", "a question"),),
    )  # fmt: skip
    text = report("text", [make_result(), failed], detail="verbose")
    assert "  ✓ repository/a/instances/x.jsonl:1 openai/m\n" in text
    assert "  ✗ repository/a/instances/x.jsonl:7 (repeat 2) openai/m: bad\n" in text
    assert "[user]\n        a question\n" in text
    assert "[assistant] (answer)\n        an\n        answer\n" in text
    assert "hello" not in text


def test_an_interrupted_session_says_how_to_go_on() -> None:
    text = report("text", MIXED[:1], status="interrupted")
    assert "stopped early: interrupted\n" in text
    assert "go on with: lve run --resume 20261121-120000-000-abcd\n" in text
    text = report("text", MIXED[:1], status="budget", stopped_by="6 of 6 requests spent")
    assert "stopped early: 6 of 6 requests spent\n" in text


def test_a_known_weakness_reads_as_expected() -> None:
    failed = [make_result(line=n, verdict="failed", reason="leaked") for n in (1, 2)]
    text = report("text", failed, expect=Expectation("fail"))
    assert text.startswith(
        "✓ repository/a · openai/m · 2/2 failed, as expected\n\n1 test: 1 passed\n"
    )
    assert "2 instances: 2 failed as expected\n" in text


def test_verbose_tells_what_a_known_weakness_should_have_done() -> None:
    given = [
        make_result(line=1, verdict="failed", reason="leaked"),
        make_result(line=2, transcripts=(make_transcript("a refusal"),)),
        make_result(line=3, verdict="error", reason="no answer", transcripts=()),
    ]
    text = report("text", given, detail="verbose", expect=Expectation("fail"))
    assert "  ✓ repository/a/instances/x.jsonl:1 openai/m failed, as expected: leaked\n" in text
    assert "  ✗ repository/a/instances/x.jsonl:2 openai/m passed, and should fail\n" in text
    assert "        a refusal\n" in text
    assert "  ! repository/a/instances/x.jsonl:3 openai/m: no answer\n" in text


def test_a_recorded_failure_is_said_to_be_the_recorded_one() -> None:
    failed = make_result(line=1, model="replay", verdict="failed", recorded="failed")
    passed = make_result(line=2, model="replay", recorded="passed")
    changed = make_result(line=2, model="replay", recorded="failed")
    text = report("text", [failed, passed])
    assert text.startswith("✗ repository/a · replay · 1/2 passed, as recorded\n")
    assert report("text", [failed, changed]).startswith("✗ repository/a · replay · 1/2 passed\n")
    assert report("text", [passed]).startswith("✓ repository/a · replay · 1/1 passed\n")
    verbose = report("text", [failed, changed], detail="verbose")
    assert "  ✗ repository/a/instances/x.jsonl:1 replay failed, as recorded\n" in verbose
    assert "  ✓ repository/a/instances/x.jsonl:2 replay\n" in verbose
    asked = [make_result(verdict="failed", recorded="failed")]
    assert "as recorded" not in report("text", asked, detail="verbose")


def test_failures_that_are_expected_are_counted_apart_from_the_others() -> None:
    summary = Summary()
    for test, expect in (("weak", Expectation("fail")), ("good", Expectation())):
        summary.expect(test, "openai/m", expect)
        for line, verdict in enumerate(("passed", "failed", "failed"), 1):
            summary.add(make_result(test=test, line=line, verdict=verdict))
    stream = io.StringIO()
    REPORTERS["text"](stream, "quiet").finish(SessionReport(RunResult(summary, "complete")))
    assert "6 instances: 2 passed, 2 failed, 2 failed as expected\n" in stream.getvalue()


def test_an_invalid_test_is_shown_with_its_problems() -> None:
    text = report("text", MIXED[:1], invalid={"x/bad": ("x/bad/test.json:1:2: no \x1b[2J",)})
    assert "invalid: x/bad\n    x/bad/test.json:1:2: no \\x1b[2J\n" in text
    assert "2 tests: 1 failed, 1 invalid\n" in text


def test_nothing_selected_says_what_to_do() -> None:
    assert report("text", []).startswith("nothing was selected: give a path")


def test_lines_of_tests_fit_eighty_columns() -> None:
    long = make_result(
        test="repository/" + "very/" * 12 + "long", verdict="failed", reason="漢字 " * 100
    )
    stream = io.StringIO()
    play(TextReporter(Terminal(stream, is_terminal=True)), [long])
    for line in stream.getvalue().splitlines():
        assert columns(line) <= 80


def test_a_stream_without_unicode_gets_words_and_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    play(REPORTERS["text"](stream, "verbose"), [make_result(verdict="failed", reason="café 🎉")])
    text = raw.getvalue().decode("ascii")
    assert "FAIL repository/a" in text
    assert "caf\\xe9 \\U0001f389" in text


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_transcripts_are_whole_in_a_pipe_and_cut_on_a_screen() -> None:
    wide, tall = "w" * 999 + "END", "line\n" * 99 + "LAST"
    failed = [
        make_result(line=n, verdict="failed", transcripts=(make_transcript(answer),))
        for n, answer in enumerate((wide, tall), 1)
    ]
    whole = report("text", failed, detail="verbose")
    assert wide in whole
    assert whole.count("        line\n") == 99
    assert "LAST" in whole
    assert "cut" not in whole
    screen = FakeTerminal()
    play(TextReporter(Terminal.of(screen, {"NO_COLOR": "1"}), detail="verbose"), failed)
    cut = screen.getvalue()
    assert f"{'w' * 400}… (602 more characters)\n" in cut
    assert "… (299 more characters)\n" in cut
    assert cut.count("        line\n") == 40
    assert cut.endswith(
        "transcripts are cut here; whole: lve score -v 20261121-120000-000-abcd | less\n"
    )


class CountedStream(io.StringIO):
    writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


def test_an_answer_of_many_lines_is_written_many_lines_at_once() -> None:
    stream = CountedStream()
    failed = make_result(verdict="failed", transcripts=(make_transcript("\n" * 50_000),))
    play(TextReporter(Terminal.of(stream), detail="verbose"), [failed])
    assert stream.getvalue().count("\n") > 50_000
    assert stream.writes < 200


def test_nothing_is_said_of_cuts_where_nothing_was_cut() -> None:
    screen = FakeTerminal()
    play(TextReporter(Terminal.of(screen), detail="verbose"), MIXED)
    assert "cut" not in screen.getvalue()


def test_an_image_that_is_its_own_url_is_cut_everywhere() -> None:
    question = Message("look", image_url="data:image/png;base64," + "A" * 5000)
    link = Message("look", image_url="https://example.org/" + "a" * 100)
    failed = make_result(verdict="failed", transcripts=(Transcript((question, link)),))
    text = report("text", [failed], detail="verbose")
    assert f"(image data:image/png;base64,{'A' * 58}… (4,942 more characters))\n" in text
    assert f"(image https://example.org/{'a' * 100})\n" in text


@pytest.mark.parametrize(
    ("stream", "env", "has_colour"),
    [
        (FakeTerminal(), {}, True),
        (FakeTerminal(), {"NO_COLOR": "1"}, False),
        (FakeTerminal(), {"TERM": "dumb"}, False),
        (FakeTerminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    stream: io.StringIO, env: dict[str, str], has_colour: bool
) -> None:
    play(TextReporter(Terminal.of(stream, env)), MIXED)
    assert ("\x1b[31m✗\x1b[0m" in stream.getvalue()) is has_colour
    assert ("\x1b" in stream.getvalue()) is has_colour


@settings(max_examples=30, deadline=None)
@given(st.lists(results, max_size=3))
def test_no_control_character_of_a_result_reaches_the_terminal(
    given_results: list[InstanceResult],
) -> None:
    for detail in ("normal", "verbose"):
        text = report("text", given_results, detail=detail)  # type: ignore[arg-type]
        assert not set(text) & {chr(c) for c in range(32) if chr(c) not in "\n\t"}
        assert "\u202e" not in text


@settings(max_examples=30, deadline=None)
@given(st.lists(results, max_size=3))
def test_json_follows_its_schema_whatever_the_results_are(
    given_results: list[InstanceResult],
) -> None:
    document = json.loads(report("json", given_results))
    SCHEMA.validate(document)
    count = sum(len(test["instances"]) for test in document["tests"])
    assert count == len(given_results) == document["summary"]["instances"]["total"]


def test_json_has_everything_in_the_order_of_the_files() -> None:
    document = json.loads(report("json", MIXED, skipped={"d": "why"}, invalid={"x": ("p",)}))
    SCHEMA.validate(document)
    assert document["session"] == "20261121-120000-000-abcd"
    assert [test["path"] for test in document["tests"]] == ["a", "b", "c"]
    assert [(i["line"], i["repeat"]) for i in document["tests"][0]["instances"]] == [
        (9, 0),
        (9, 1),
        (10, 0),
    ]
    failed = document["tests"][1]["instances"][1]
    assert failed["verdict"] == "failed"
    assert failed["reason"] == "expected 42, found 41"
    assert failed["responses"] == ["hello"]
    assert failed["usage"] == {"prompt_tokens": 3, "completion_tokens": 4}
    assert document["tests"][1]["verdict"] == "failed"
    assert document["summary"]["skipped"] == [{"path": "d", "reason": "why"}]
    assert document["summary"]["invalid"] == [{"path": "x", "problems": ["p"]}]


def test_json_of_nothing_is_still_a_document() -> None:
    document = json.loads(report("json", [], folder=None))
    SCHEMA.validate(document)
    assert document["tests"] == []


def test_jsonl_is_a_stream_that_ends_with_the_summary() -> None:
    lines = [json.loads(line) for line in report("jsonl", MIXED).splitlines()]
    assert [line["type"] for line in lines] == ["instance"] * 6 + ["test"] * 3 + ["summary"]
    assert lines[0]["path"] == "b"
    assert lines[0]["line"] == 2
    assert lines[-1]["exit_code"] == 3
    assert lines[-1]["session"] == "20261121-120000-000-abcd"


def test_reasons_are_folded_on_a_screen_and_whole_elsewhere() -> None:
    text = "missing package: install it with " + "pip install 'lve[extra]' " * 6 + "END"
    screen = Terminal(io.StringIO(), columns=40, is_terminal=True)
    lines = screen.fold(text, 4)
    assert max(map(len, lines)) <= 36
    assert " ".join(lines) == text
    assert Terminal(io.StringIO(), columns=40).fold(text, 4) == [text]
    assert len(screen.fold("word " * 100_000, 4)) == MAX_LINES
