"""`--lve-baseline`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.comparison.baseline import baseline_of
from lve.comparison.session_side import SessionSide
from lve.extensions.comparing.verbs.baseline import write_baseline
from lve.sessions.session_folder import SessionFolder

Write = Callable[..., Path]
EXPECT = {"pass_rate": ">=0.01", "max_repeats": 1}
GOOD = [("Paris", True)] * 12
BAD = [("Lyon", False)] * 9 + [("Paris", True)] * 3


@pytest.fixture
def baseline(pytester: pytest.Pytester, write_test: Write) -> str:
    """The baseline of a test that passes; afterwards most of its recorded answers are wrong."""
    folder = write_test("a", GOOD, expect=EXPECT)
    pytester.runpytest("repository").assert_outcomes(passed=1)
    side = SessionSide(SessionFolder.find(pytester.path / ".lve"), warn=print)
    write_baseline(pytester.path / "b.json", baseline_of(side).content)
    file = folder / "instances" / "instances.jsonl"
    lines = map(json.loads, file.read_text().splitlines())
    new = [{**line, "response": text} for line, (text, _) in zip(lines, BAD, strict=True)]
    file.write_text("".join(json.dumps(line) + "\n" for line in new))
    return "b.json"


def test_a_regression_fails_a_run_whose_tests_pass(
    pytester: pytest.Pytester, baseline: str
) -> None:
    result = pytester.runpytest("repository", f"--lve-baseline={baseline}")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["lve: compared with baseline *b.json:",
         "lve:     broken: repository/a/instances/instances.jsonl:1",
         "lve:         changed: data", "lve:         answer now: Lyon",
         "lve:     and 4 more broken *", "lve:     what changed, in 9 flips: data 9",
         "lve:     regressed: repository/a (9 of 12 results broke)"]
    )  # fmt: skip
    assert pytester.runpytest("repository").ret == pytest.ExitCode.OK


def test_the_gate_can_be_chosen(pytester: pytest.Pytester, baseline: str) -> None:
    """9 of 12 are significant, and 12 rows are too few to see a drop of ten points."""
    run = ("repository", f"--lve-baseline={baseline}")
    assert pytester.runpytest(*run, "--lve-max-broken=9").ret == pytest.ExitCode.OK
    assert pytester.runpytest(*run, "--lve-max-broken=8").ret == pytest.ExitCode.TESTS_FAILED
    pytester.makefile(".yaml", lve="comparison: {gate: significant, threshold: 1}")
    result = pytester.runpytest(*run)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["lve:     can't tell (too few rows to tell: with 12 rows*"])
    assert pytester.runpytest(*run, "--lve-allow-inconclusive").ret == pytest.ExitCode.OK
    assert pytester.runpytest(*run, "--lve-gate=any").ret == pytest.ExitCode.TESTS_FAILED


def test_the_workers_of_xdist_are_compared_together(
    pytester: pytest.Pytester, baseline: str, write_test: Write
) -> None:
    write_test("b", GOOD, expect=EXPECT)
    result = pytester.runpytest("repository", f"--lve-baseline={baseline}", "-n2")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = result.stdout.str()
    assert text.count("lve: compared with baseline") == 1
    assert "regressed: repository/a" in text


def test_a_baseline_that_is_none_is_found_before_anything_is_asked(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", GOOD, expect=EXPECT)
    result = pytester.runpytest("repository", "--lve-baseline=none.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --lve-baseline: there is no baseline *none.json*"])
    assert not (pytester.path / ".lve" / "runs").exists()


@pytest.mark.parametrize("more", [(), ("--lve-baseline=b.json",)])
@pytest.mark.usefixtures("baseline")
def test_two_gates_are_refused(pytester: pytest.Pytester, more: tuple[str, ...]) -> None:
    result = pytester.runpytest("repository", "--lve-gate=any", "--lve-max-broken=1", *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*exclude each other*"])


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_what_pytest_deselects_is_not_gone(
    pytester: pytest.Pytester, write_test: Write, workers: tuple[str, ...]
) -> None:
    for name in ("a", "b"):
        write_test(name, GOOD[:2], expect=EXPECT)
    pytester.runpytest("repository").assert_outcomes(passed=2)
    side = SessionSide(SessionFolder.find(pytester.path / ".lve"), warn=print)
    write_baseline(pytester.path / "b.json", baseline_of(side).content)
    asked = ("repository", "--lve-baseline=b.json", *workers)
    for chosen in (["-k", "repository/a"], ["--deselect", "repository/b"]):
        result = pytester.runpytest(*asked, *chosen)
        result.stdout.fnmatch_lines(["*2 gone, not chosen (deselected by pytest)*"])
        assert result.ret == pytest.ExitCode.OK
    (pytester.path / "repository" / "b" / "test.json").unlink()
    result = pytester.runpytest(*asked)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*2 results of before are gone*"])
