"""`lve compare`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from comparison.compared import verdicts, write_session
from support.command_line import lve
from support.folders import write_test
from support.results import make_result

from lve.documents.validation.schema import load_schema

STATE = ".lve"


def sessions(root: Path, before: str, now: str) -> list[str]:
    folders = [
        write_session(root / STATE, verdicts(letters), day=day)
        for day, letters in enumerate((before, now), 1)
    ]
    return [folder.id for folder in folders]


@pytest.mark.parametrize(
    "words",
    [(), ("last~1",), ("last~1", "last"), ("20261101", "20261102"), ("FOLDER", "last")],
)
def test_two_sessions_are_named_in_many_ways(root: Path, words: tuple[str, ...]) -> None:
    first, _ = sessions(root, "PPP", "PFP")
    named = [str(root / STATE / "runs" / first) if word == "FOLDER" else word for word in words]
    result = lve("compare", *named)
    assert "3 pairs: 1 broken, 0 fixed" in result.stdout


def test_rows_of_the_document_are_no_lines(root: Path) -> None:
    for code, check in enumerate(("Hello", "Bye")):
        write_test(root / "t", checker_args=None, check={"contains": check}, dataset=[{}, {"a": 1}])
        lve("run", "t", "-m", "dummy/dummy", code=code)
    lve("compare", "-o", "c.md")
    assert "broken: t/test.json row 2" in lve("compare", "-v").stdout
    assert "`t/test.json row 2`" in (root / "c.md").read_text("utf-8")


def test_sessions_of_other_tests_are_passed_over(root: Path) -> None:
    first, other, now = (
        write_session(root / STATE, verdicts(letters, test), day=day, tests={test: {"test": "1"}})
        for day, (letters, test) in enumerate((("PPP", "t"), ("PP", "u"), ("PFP", "t")), 1)
    )
    for words in ((), ("last~1",), ("last~1", "last")):
        result = lve("compare", *words)
        assert first.id in result.stdout
        assert "3 pairs: 1 broken, 0 fixed" in result.stdout
    for words in (("last~1", now.id), (other.id,)):
        said = str(lve("compare", *words, code=2).exception)
        assert f"session {other.id} and session {now.id} have no row in common" in said


def test_without_a_session_of_the_same_tests_the_latest_are_named(root: Path) -> None:
    ids = [
        write_session(root / STATE, verdicts("P", test), day=day, tests={test: {"test": "1"}}).id
        for day, test in enumerate("tuv", 1)
    ]
    said = str(lve("compare", code=2).exception)
    assert f"session {ids[1]} and session {ids[2]} have no row in common" in said


def test_the_gate_exits_with_1_on_a_regression_only(root: Path) -> None:
    sessions(root, "P" * 9, "F" * 9)
    lve("compare", "--gate", code=1)
    lve("compare")
    lve("compare", "last", "last~1", "--gate")
    lve("compare", "--gate", "significant", code=1)
    lve("compare", "--gate", "significant", "--alpha", "0.001", code=4)
    lve("compare", "--gate", "significant", "--threshold", "1", code=4)
    lve("compare", "--max-broken", "9")
    lve("compare", "--max-broken", "8", code=1)


def test_a_session_may_follow_the_option_and_a_mode_too(root: Path) -> None:
    sessions(root, "P" * 9, "F" + "P" * 8)
    for words in (("--gate", "last~1", "last"), ("--gate", "any", "last~1"), ("--gate=any",)):
        result = lve("compare", *words, code=1)
        assert "regressed: t (1 of 9 results broke)" in result.stdout
    lve("compare", "--gate", "significant", "last~1", "last", code=4)
    assert (
        "`auto`, `significant` or `any`, not 'all'" in lve("compare", "--gate=all", code=2).output
    )


def test_the_gate_does_not_open_where_errors_may_hide_a_regression(root: Path) -> None:
    sessions(root, "P" * 9, "E" * 9)
    result = lve("compare", "--gate", code=3)
    assert "can't tell: t (9 results had a verdict before and have none now)" in result.stdout
    lve("compare", "--gate", "--allow-missing", code=3)
    assert "no significant regression" not in result.stdout
    lve("compare")
    document = json.loads(lve("compare", "--json").stdout)
    assert [one["test"] for one in document["unjudged"]] == ["t"]
    lve("compare", "-o", "c.md")
    assert "❔ can't tell: 9 results had a verdict" in (root / "c.md").read_text()


@pytest.mark.parametrize(("before", "now", "code"), [("PP", "EE", 3), ("EE", "PP", 0)])
def test_a_test_is_only_missed_if_it_had_a_verdict_before(
    root: Path, before: str, now: str, code: int
) -> None:
    for day, letters in enumerate((before, now), 1):
        results = [*verdicts(letters, "a"), *verdicts("PP", "b")]
        write_session(root / STATE, results, day=day)
    lve("compare", "--gate", code=code)


def test_results_that_lost_their_verdict_or_are_gone_are_told(root: Path) -> None:
    """Ten of twenty rows ended in errors, and the gate was green."""
    sessions(root, "P" * 20, "P" * 10 + "E" * 10)
    result = lve("compare", "--gate", code=3)
    counts = "not compared, in results: 10 without a verdict, 10 of them had one before"
    assert counts in result.stdout
    assert counts in lve("compare").stdout
    result = lve("compare", "--gate", "--allow-missing")
    assert (result.exit_code, counts in result.stdout) == (0, True)
    for day, rows in ((3, 20), (4, 10)):
        write_session(root / STATE, verdicts("P" * rows), day=day)
    result = lve("compare", "--gate", code=4)
    assert "can't tell: t (10 results of before are gone (`allow_missing`" in result.stdout


def test_what_the_user_did_not_choose_is_not_missing(root: Path) -> None:
    write_session(root / STATE, verdicts("P" * 9))
    write_session(root / STATE, verdicts("PP"), day=2, options={"limit": 2})
    result = lve("compare", "--gate")
    assert "not compared, in results: 7 gone, not chosen (limit)" in result.stdout


def test_the_settings_decide_unless_an_option_does(root: Path) -> None:
    sessions(root, "P" * 9, "F" * 9)
    (root / "lve.yaml").write_text("comparison: {gate: significant, alpha: 0.001}\n")
    lve("compare", "--gate", code=4)
    lve("compare", "--gate", "--alpha", "0.05", code=1)
    (root / "lve.yaml").write_text("comparison: {max_broken: 9}\n")
    lve("compare", "--gate")
    lve("compare", "--gate", "any", code=1)
    lve("compare", "--max-broken", "8", code=1)


def test_two_models_of_one_session_are_compared(root: Path) -> None:
    both = [*verdicts("PPP", model="a"), *verdicts("PFF", model="b")]
    write_session(root / STATE, both)
    result = lve("compare", "--models", "a", "b")
    assert "3 pairs: 2 broken, 0 fixed" in result.stdout
    assert "changed: model (a → b)" in result.stdout


def test_the_document_follows_its_schema_and_says_what_the_text_says(root: Path) -> None:
    sessions(root, "PPPFFE", "FFPPFP")
    document = json.loads(lve("compare", "--json").stdout)
    jsonschema.validate(document, load_schema("comparison"))
    assert (document["broken"], document["fixed"], len(document["flips"])) == (2, 1, 3)
    (test,) = document["tests"]
    assert (test["difference"]["pairs"], test["no_verdict"]) == (5, 1)
    assert document["flips"][0]["before"]["responses"] == ["hello"]


def test_what_models_wrote_is_harmless(root: Path) -> None:
    evil = "\x1b[2J\u202e::error::"
    for day, verdict in enumerate(("passed", "failed"), 1):
        result = make_result(
            test=evil,
            model=evil,
            source=evil,
            args={evil: day},
            verdict=verdict,
            reason=evil,
            responses=(f"{evil} {day}",),
        )
        write_session(root / STATE, [result], day=day)
    for words in ((), ("--json",), ("-v",)):
        result = lve("compare", *words)
        assert not any(sign in result.output for sign in ("\x1b", "\u202e"))
        assert not any(line.lstrip().startswith("::") for line in result.output.splitlines())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing", "last"), "no session 'nothing'"),
        (("last~7", "last"), "last~7"),
        (("none.json",), "there is no baseline none.json"),
        (("empty", "last"), "empty is no session"),
        (("last", "last"), "last is on both sides"),
        (("last",), "NOW is the last session if left out"),
        (("a", "b", "c"), "`lve compare` takes two runs, not 3"),
        (("--alpha", "0"), "--alpha"),
        (("--alpha", "1e-300"), "--alpha"),
        (("--alpha", "nan"), "--alpha"),
        (("--alpha", "0.7"), "--alpha"),
        (("--threshold", "2"), "--threshold"),
        (("--models", "x", "y"), "the earlier side has no model 'x'"),
    ],
)
def test_mistakes_are_one_sentence(root: Path, words: tuple[str, ...], message: str) -> None:
    sessions(root, "P", "P")
    (root / "empty").mkdir()
    result = lve("compare", *words, code=3 if "empty" in words else 2)
    said = result.output + str(result.exception)
    assert message in said
    assert "Traceback" not in said


def test_a_damaged_session_is_one_sentence(root: Path) -> None:
    first, _ = sessions(root, "P", "P")
    (root / STATE / "runs" / first / "session.json").write_text('{"version": 1}')
    result = lve("compare", first, "last", code=3)
    assert "was damaged" in str(result.exception)


def test_without_sessions_it_says_what_makes_one(root: Path) -> None:
    assert "`lve run` makes one" in str(lve("compare", code=2).exception)


def test_a_comparison_is_written_to_files(root: Path) -> None:
    sessions(root, "P" * 9, "F" * 9)
    lve("compare", "-o", "out.md", "-o", "deep/out.json")
    assert "### ❌ regressed" in (root / "out.md").read_text()
    document = json.loads((root / "deep" / "out.json").read_text())
    jsonschema.validate(document, load_schema("comparison"))
    assert (
        "a comparison is written to .md or .json" in lve("compare", "-o", "out.txt", code=2).output
    )
    (root / "file").write_text("")
    assert "can't be written" in str(lve("compare", "-o", "file/out.md", code=2).exception)


SUMS = {"document": "d", "messages": "t", "checks": "c", "model_args": "m", "data": "x"}


@pytest.mark.parametrize(
    ("name", "cause"),
    [("checks", "checker"), ("messages", "prompt"), ("model_args", "model args"), ("data", "data")],
)
@pytest.mark.parametrize("now", ["PPP", "PPF"])
def test_what_changed_of_a_test_is_said_whether_or_not_a_verdict_flipped(
    root: Path, name: str, cause: str, now: str
) -> None:
    changed = {**SUMS, name: "new"} | ({} if name == "data" else {"document": "D"})
    write_session(root / STATE, verdicts("PPP"), day=1, tests={"t": SUMS, "u": SUMS})
    write_session(root / STATE, verdicts(now), day=2, tests={"t": changed, "u": SUMS})
    outputs = ("-o", "c.md", "-o", "c.json")
    line = f"what changed of the tests: {cause} (t)"
    assert line in lve("compare", *outputs).stdout.splitlines()
    assert line in (root / "c.md").read_text("utf-8")
    document = json.loads((root / "c.json").read_text("utf-8"))
    jsonschema.validate(document, load_schema("comparison"))
    assert document["tests"][0]["changes"] == [{"name": cause, "detail": ""}]


def test_many_tests_that_changed_are_counted(root: Path) -> None:
    names = [f"t{number}" for number in range(8)]
    rows = [row for name in names for row in verdicts("P", name)]
    for day, checks in enumerate(("c", "C"), 1):
        sums = {name: {**SUMS, "checks": checks} for name in names}
        write_session(root / STATE, rows, day=day, tests=sums)
    changed = "what changed of the tests: checker (t0, t1, t2, t3, t4 and 3 more)"
    assert changed in lve("compare").stdout.splitlines()
