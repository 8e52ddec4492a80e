"""`--limit N`: the first N instances of every test, at every door and in every session."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import lve as command_line
from support.folders import write_sums
from support.fork_workers import fork_workers
from support.forked import python
from support.run_command import at, document, instances
from support.server import ModelServer

import lve
from lve.sessions.session_folder import SessionFolder


@pytest.fixture
def two_tests(root: Path) -> Path:
    for name in ("one", "two"):
        write_sums(root / name, 5)
    return root


def lines(folder: SessionFolder) -> list[tuple[str, int]]:
    return sorted((result.test, result.line) for result in folder.results())


FIRST_TWO = [("one", 1), ("one", 2), ("two", 1), ("two", 2)]


@pytest.mark.usefixtures("two_tests")
def test_the_command_line() -> None:
    result = command_line("run", ".", "-m", "replay", "--limit", "2", "--json")
    assert [one["line"] for one in instances(result)] == [1, 2, 1, 2]


@pytest.mark.usefixtures("two_tests")
def test_a_dry_run() -> None:
    result = command_line("run", ".", "-m", "replay", "--limit", "2", "--dry-run", "--json")
    assert document(result)["calls"] == 4


@pytest.mark.usefixtures("two_tests")
def test_python() -> None:
    result = lve.run(".", model="replay", limit=2)
    assert sorted((one.test, one.line) for one in result.results) == FIRST_TWO


def test_a_session_keeps_its_limit(two_tests: Path, server: ModelServer) -> None:
    command_line("run", ".", *at(server), "--limit", "2", "--max-requests", "1", code=6)
    folder = SessionFolder.find(two_tests / ".lve")
    assert folder.info()["options"]["limit"] == 2
    other = command_line("run", "--resume", *at(server), "--limit", "3", code=2)
    assert "--limit can't change what an earlier session began with" in str(other.exception)
    command_line("run", "--resume", *at(server), "--max-requests", "9")
    assert lines(folder) == FIRST_TWO


@pytest.mark.parametrize("more", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_pytest(
    two_tests: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
) -> None:
    fork_workers(python, monkeypatch.setattr)
    monkeypatch.chdir(two_tests)  # or pytest looks through the folders of all tests that have run
    arguments = [str(two_tests), "--lve-replay", "--lve-limit=2", "-p", "no:cacheprovider", *more]
    pytester.runpytest(*arguments).assert_outcomes(passed=4)
    folder = SessionFolder.find(two_tests / ".lve")
    assert folder.info()["options"]["limit"] == 2
    assert lines(folder) == FIRST_TWO
    command_line("run", str(two_tests), "--resume")
    assert lines(folder) == FIRST_TWO
