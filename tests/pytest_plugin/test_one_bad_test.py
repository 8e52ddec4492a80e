"""A bug that one test meets is that test's error in pytest, too, and the good test beside it runs;
with pytest-xdist as without."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support import planted_bug
from support.planted_bug import plant

Write = Callable[..., Path]

COLLECTING = (
    "lve.pipeline.choosing.loading.load_spec",
    "lve.pytest_plugin.collect.select_instances",
    "lve.pytest_plugin.finding.static_problems.build_plan",
    "lve.pytest_plugin.finding.static_problems.check_statically",
    "lve.pytest_plugin.collect.marks_of",
    "lve.pytest_plugin.items.InstanceItem._add_keywords",
)
DEPTH = 1100
"""Of folders: more than Python's stack, less than the longest path."""
RUNNING = (
    "lve.pipeline.preparing.preparation.build_plan",
    "lve.pipeline.preparing.preparation.resolve_with",
    "lve.pipeline.rows.model_of_test.ask_once",
    "lve.checkers.judge.verdict_of",
    "lve.sessions.journal.journal.result_line",
    "lve.pytest_plugin.items.item_verdict",
)
PLANTED_IN_WORKERS = """
def pytest_configure(config):
    if hasattr(config, "workerinput"):
        from support import planted_bug
        planted_bug.pytest_configure(config)
"""


@pytest.fixture
def two(write_test: Write) -> None:
    """A test that meets the bug, and one that doesn't."""
    write_test("bad", [("Paris, wicked", True)], description="a wicked test")
    write_test("good")


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("stage", [*COLLECTING, *RUNNING])
def test_it_is_the_error_of_that_test_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    # Same checkers are checked once in a process, which other tests share.
    monkeypatch.setattr("lve.pytest_plugin.finding.static_problems._FINE_CHECKERS", set())
    plant(monkeypatch, stage)
    result = pytester.runpytest("repository", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)
    assert_told(result)


@pytest.mark.usefixtures("two")
def test_a_test_whose_files_cannot_be_hashed_is_the_only_one_with_an_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is tried when the session begins, and said when it is the test's turn."""
    for place in ("lve.pytest_plugin.session.initial_info", "lve.pipeline.session_log"):
        plant(monkeypatch, f"{place}.hashes_of")
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=1, errors=1)
    assert_told(result)


def assert_told(result: pytest.RunResult) -> None:
    """Check that a bug is told in a line, without an excerpt of our code."""
    said = result.stdout.str() + result.stderr.str()
    assert "an unexpected RecursionError while " in said
    for word in ("Traceback", "INTERNALERROR", "def "):
        assert word not in said


def test_a_failure_that_cannot_be_described_is_still_one(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test("bad", [("Lyon, wicked", False)])
    write_test("good")
    plant(monkeypatch, "lve.pytest_plugin.items.describe_failure")
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=1, failed=1)
    assert_told(result)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("stage", [COLLECTING[0], RUNNING[3]])
def test_it_is_so_in_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    monkeypatch.setenv(planted_bug.PLANTED, stage)
    pytester.makeconftest(PLANTED_IN_WORKERS)
    result = pytester.runpytest("repository", "-n1", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)
    assert_told(result)


@pytest.mark.usefixtures("two")
def test_a_tree_deeper_than_the_stack_is_searched(pytester: pytest.Pytester) -> None:
    repository = pytester.path / "repository"
    places = (repository / "deep", repository / "good" / "instances" / "deep")
    for place in places:
        place.mkdir()
        nest(place)
    os.chdir(pytester.path)
    pytester.runpytest("repository").assert_outcomes(passed=2)
    for place in places:
        unnest(place)
    os.chdir(pytester.path)


def nest(folder: Path) -> None:
    """Make folders in folders. One stands in the last one then."""
    os.chdir(folder)
    for _ in range(DEPTH):
        os.mkdir("a")  # noqa: PTH102 (pathlib's paths would be too long)
        os.chdir("a")


def unnest(folder: Path) -> None:
    """Remove them again: pytest, which does so later, recurses."""
    os.chdir(f"{folder}{'/a' * DEPTH}")
    for _ in range(DEPTH):
        os.chdir("..")
        os.rmdir("a")  # noqa: PTH106
