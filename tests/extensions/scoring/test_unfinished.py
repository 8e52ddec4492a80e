"""`lve score` of a session that was stopped early: it completes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_sums
from support.run_command import at
from support.server import ModelServer, model_server

from lve.sessions.session_folder import SessionFolder

ONE_BY_ONE = ["-j", "1", "--max-tests", "1", "--no-cache"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that adds."""
    with model_server() as running:
        yield running


@pytest.fixture
def stopped(root: Path, server: ModelServer) -> SessionFolder:
    """Test `a` is through, `b` has begun, `c` hasn't."""
    for name in ("a", "b", "c"):
        write_sums(root / name, 4)
    lve("run", ".", *at(server), *ONE_BY_ONE, "--max-requests", "6", code=6)
    return SessionFolder.find(root / ".lve")


def told(*args: str, code: int = 0) -> dict[str, tuple[str, str]]:
    tests = json.loads(lve("score", "last", *args, "--json", code=code).stdout)["tests"]
    return {test["path"]: (test["verdict"], test["reason"]) for test in tests}


def test_unfinished_tests_stay_unfinished(stopped: SessionFolder) -> None:
    assert told(code=6) == {
        "a": ("passed", ""),
        "b": ("inconclusive", "unfinished: 2 done"),
        "c": ("inconclusive", "unfinished: 0 done"),
    }
    result = lve("score", "last", code=6)
    assert "3 tests: 1 passed, 2 inconclusive\n" in result.stdout
    assert f"lve run --resume {stopped.id}" in result.stdout


def test_a_test_that_is_through_is_judged_alone(stopped: SessionFolder) -> None:
    assert told("a") == {"a": ("passed", "")}
    lve("score", "last", "a")


def test_a_killed_session_has_no_test_that_is_through(stopped: SessionFolder) -> None:
    stopped.update(status="running")
    assert {path: reason for path, (_, reason) in told(code=130).items()} == {
        "a": "unfinished: 4 done",
        "b": "unfinished: 2 done",
        "c": "unfinished: 0 done",
    }
    lve("score", "last", code=130)


def test_what_pytest_had_not_selected_is_not_part_of_the_session(
    stopped: SessionFolder, server: ModelServer
) -> None:
    nothing = {"test": "c", "model": "openai/test", "instances": {}}
    stopped.update(status="running", selected=[nothing])
    assert sorted(told(code=130)) == ["a", "b"]
    some = {"test": "c", "model": "openai/test", "instances": {"instances/main.jsonl": [2, 3]}}
    stopped.update(selected=[some])
    lve("run", "--resume", "last", *at(server), "--max-requests", "100")
    found = [result.line for result in stopped.results() if result.test == "c"]
    assert sorted(found) == [2, 3]


def test_a_test_without_results_that_is_gone_is_told(root: Path, stopped: SessionFolder) -> None:
    (root / "c" / "test.json").unlink()
    result = lve("score", "last", code=6)
    assert "c is in the session" in result.stderr
    assert "c ·" not in result.stdout


def test_a_session_that_was_resumed_to_its_end_is_complete(
    stopped: SessionFolder, server: ModelServer
) -> None:
    lve("run", "--resume", *at(server), "--max-requests", "50")
    assert set(told().values()) == {("passed", "")}
    lve("score", "last")
