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
