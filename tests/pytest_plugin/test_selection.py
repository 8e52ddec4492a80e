"""-k, -m, --lf and the like on items that are tests of models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.pytest_runs import collected

Write = Callable[..., Path]
HIGH = [{"name": "severity", "value": "high"}, {"name": "jailbreak", "value": "yes"}]
A1 = "repository/privacy/a/test.json::instances.jsonl[1]"
A2 = "repository/privacy/a/test.json::instances.jsonl[2]"
B1 = "repository/trust/b/test.json::instances.jsonl[1]"


@pytest.fixture
def two_tests(write_test: Write) -> None:
    write_test("privacy/a", [("Paris", True), ("Lyon", False)], tags=HIGH)
    low = [{"name": "severity", "value": "low"}, {"name": "jailbreak", "value": "no"}]
    write_test("trust/b", model="dummy/dummy", tags=low)


@pytest.mark.parametrize(
    ("expression", "ids"),
    [
        ("privacy", [A1, A2]),
        ("privacy/a", [A1, A2]),
        ("high", [A1, A2]),
        ("severity_low", [B1]),
        ("replay", [A1, A2]),
        ("dummy/dummy", [B1]),
        ("replay and not 2", [A1]),
        ("instances.jsonl[2]", [A2]),
        ("nothing", []),
    ],
)
@pytest.mark.usefixtures("two_tests")
def test_keywords(pytester: pytest.Pytester, expression: str, ids: list[str]) -> None:
    assert collected(pytester, "-k", expression) == ids


def test_keywords_are_values_of_parameters_too(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("a", [("Paris", True), ("Lyon", False)])
    file = folder / "instances" / "instances.jsonl"
    file.write_text(file.read_text().replace("France 2", "Belgium"))
    assert collected(pytester, "-k", "belgium") == ["repository/a/test.json::instances.jsonl[2]"]


@pytest.mark.parametrize(
    ("expression", "ids"),
    [
        ("severity_high", [A1, A2]),
        ("jailbreak", [A1, A2]),
        ("not jailbreak", [B1]),
        ("severity_low or severity_high", [A1, A2, B1]),
    ],
)
@pytest.mark.usefixtures("two_tests")
def test_marks_come_from_tags(pytester: pytest.Pytester, expression: str, ids: list[str]) -> None:
    assert collected(pytester, "--strict-markers", "-m", expression) == ids


@pytest.mark.parametrize("name", ["skip", "xfail", "parametrize", "usefixtures", "timeout"])
def test_a_tag_does_nothing_but_mark(
    pytester: pytest.Pytester, write_test: Write, name: str
) -> None:
    pytester.makeini("[pytest]\nmarkers = timeout(seconds): of another plugin")
    write_test("a", [("Lyon", False)], tags=[{"name": name, "value": "yes"}])
    pytester.runpytest("--strict-markers").assert_outcomes(failed=1)
    assert len(collected(pytester, "-m", f"tag_{name}")) == 1


@pytest.mark.usefixtures("two_tests")
def test_last_failed_and_failed_first(pytester: pytest.Pytester) -> None:
    pytester.runpytest("repository", "-k", "privacy").assert_outcomes(
        passed=1, failed=1, deselected=1
    )
    result = pytester.runpytest("repository", "--lf")
    result.assert_outcomes(failed=1, deselected=2)
    result = pytester.runpytest("repository", "--ff", "-v")
    lines = [line for line in result.outlines if line.startswith("repository/")]
    assert lines[0].startswith(A2)


def test_stepwise_goes_on_where_it_failed(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True), ("Lyon", False), ("Paris", True)])
    pytester.runpytest("--sw").assert_outcomes(passed=1, failed=1)
    pytester.runpytest("--sw").assert_outcomes(failed=1, deselected=1)


@pytest.mark.usefixtures("two_tests")
def test_verbose_and_durations(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("-v", "--durations=3", "-vv", "-k", "replay")
    lines = [line.split()[:2] for line in result.outlines if line.startswith("repository/")]
    assert lines[:2] == [[A1, "PASSED"], [A2, "FAILED"]]
    result.stdout.fnmatch_lines(["*_ repository/privacy/a instances.jsonl[[]2[]] _*"])
    result.stdout.fnmatch_lines(["*slowest 3 durations*", "*s setup *instances.jsonl[[]1[]]"])


@pytest.mark.usefixtures("two_tests")
def test_collecting_starts_no_session(pytester: pytest.Pytester) -> None:
    assert collected(pytester) == [A1, A2, B1]
    assert not (pytester.path / ".lve").exists()


def test_what_failed_in_a_session_is_collected(
    pytester: pytest.Pytester, two_tests: None, write_test: Write
) -> None:
    """Of the session's own models what failed with them, of others what failed with any."""
    pytester.runpytest("repository")
    assert collected(pytester, "--lve-failed-in=last") == [A2, B1]
    assert collected(pytester, "--lve-failed-in=last", "--lve-model=dummy/other") == [A2, B1]
    assert collected(pytester, "--lve-failed-in=last", "--lve-match=trust") == [B1]
    write_test("trust/new")
    assert collected(pytester, "--lve-failed-in=last") == [A2, B1]
    pytester.makeini("[pytest]\nlve_failed_in = last\n")
    assert collected(pytester) == [A2, B1]


def test_only_the_model_that_failed_is_collected(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", model=None, models=["replay", "dummy/dummy"])
    pytester.runpytest("repository")
    assert collected(pytester, "--lve-failed-in=last") == [
        "repository/a/test.json::instances.jsonl[1][dummy/dummy]"
    ]


def test_a_pass_rate_runs_whole_again(pytester: pytest.Pytester, write_test: Write) -> None:
    rate = {"pass_rate": 0.9, "confidence": 0.5}
    write_test("a", [("Paris", True), ("Lyon", False)], expect=rate)
    pytester.runpytest("repository")
    result = pytester.runpytest("repository", "--lve-failed-in=last")
    result.stdout.fnmatch_lines(["*pass rate 1/2*"])


def test_a_session_that_is_not_there_is_refused_once(
    pytester: pytest.Pytester, two_tests: None
) -> None:
    result = pytester.runpytest("repository", "--lve-failed-in=2020")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --lve-failed-in: there is no session in *"])


@pytest.mark.parametrize(
    ("words", "failed"),
    [
        (["--lve-fail-fast=1"], 1),
        (["--lve-fail-fast=2"], 2),
        (["--lve-fail-fast=1", "--maxfail=3"], 3),
        ([], 4),
    ],
)
def test_fail_fast_is_maxfail(
    pytester: pytest.Pytester, write_test: Write, words: list[str], failed: int
) -> None:
    write_test("a", [("Lyon", False)] * 4)
    pytester.runpytest("repository", *words).assert_outcomes(failed=failed)


def test_fail_fast_may_stand_in_the_environment(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LVE_FAIL_FAST", "2")
    write_test("a", [("Lyon", False)] * 4)
    pytester.runpytest("repository").assert_outcomes(failed=2)


def test_a_seed_without_a_sample_is_refused(pytester: pytest.Pytester, two_tests: None) -> None:
    result = pytester.runpytest("repository", "--lve-seed=3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --lve-seed draws another sample*--lve-sample N*"])
    assert len(collected(pytester, "--lve-seed=3", "--lve-sample=1")) == 2
