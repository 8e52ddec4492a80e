"""`lve run --failed-in SESSION`: what failed then, with its own model or another one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import call, lve
from support.folders import write_test
from support.run_command import at, document
from support.server import ModelServer, model_server

import lve as api
from lve.errors import NoSessionError, UsageError
from lve.sessions.session_folder import SessionFolder


def write(folder: Path, answers: list[str], **document: Any) -> Path:
    rows = [{"args": {"n": str(n)}, "response": text} for n, text in enumerate(answers)]
    prompt = [{"content": "Say hello, {n}."}]
    keys = {"model": "replay", "prompt": prompt, "prompt_parameters": ["n"], **document}
    return write_test(folder, instances=rows, **keys)


def ran(result: Result) -> dict[tuple[str, str], list[int]]:
    """Return test and model -> the lines of its instances that ran."""
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    tests = json.loads(result.stdout)["tests"]
    return {
        (test["path"], test["model"]): [one["line"] for one in test["instances"]] for test in tests
    }


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def session(root: Path) -> str:
    """A session in which two instances of a and one of b failed; c is fine."""
    write(root / "a", ["rude", "Hello", "rude"])
    write(root / "b", ["Hello", "leaked", "leaked"], expect="fail")
    write(root / "c", ["Hello"])
    return str(document(lve("run", "--json", code=1))["session"])


def test_of_any_session_what_failed_runs_again(root: Path, session: str) -> None:
    write(root / "a", ["Hello", "Hello", "rude"])
    lve("run", "a", code=1)  # the last session is another one
    assert ran(lve("run", "--failed-in", session, "--json", code=1)) == {
        ("a", "replay"): [1, 3],
        ("b", "replay"): [1],
    }
    assert ran(lve("run", "--failed-in", "last", "b", "--json", code=1)) == {("b", "replay"): [1]}


def test_another_model_gets_what_failed(session: str, server: ModelServer) -> None:
    again = lve("run", "--failed-in", session, *at(server), "-m", "dummy/dummy", "--json", code=1)
    lines = {"a": [1, 3], "b": [1]}
    assert ran(again) == {
        (test, model): found
        for test, found in lines.items()
        for model in ("openai/test", "dummy/dummy")
    }
    assert len(server.requests) == 2  # the first rows of a and b are one request
    assert document(again)["summary"]["status"] == "complete"


def test_another_model_gets_all_repeats_of_what_failed(root: Path) -> None:
    write(root / "a", ["rude", "Hello"], repeats=2)
    first = document(lve("run", "-m", "replay", "--repeats", "3", "--json", code=1))["session"]
    again = lve("run", "--failed-in", first, "-m", "dummy/dummy", "--json")
    assert ran(again) == {("a", "dummy/dummy"): [1, 1, 1]}, "the session's option holds"


def test_one_that_failed_with_several_models_runs_once(root: Path) -> None:
    write(root / "a", ["rude", "Hello"], expect="fail", checks=None)
    first = document(lve("run", "-m", "replay", "-m", "dummy/dummy", "--json", code=1))["session"]
    again = lve("run", "--failed-in", first, "-m", "scripted:answers.yaml", "--json", code=2)
    assert again.exit_code in (2, 3) or again.exception is not None  # there is no such file
    one = lve("run", "--failed-in", first, "-m", "dummy/dummy", "--json", code=1)
    assert set(ran(one)) == {("a", "dummy/dummy")}
    assert all(len(set(lines)) == len(lines) for lines in ran(one).values())


def test_it_is_resumed_as_such(root: Path, session: str) -> None:
    lve("run", "--failed-in", session, "-m", "dummy/dummy", "--max-requests", "1", "-j1", code=6)
    again = lve("run", "--resume", "--max-requests", "9", "--json", code=1)
    assert ran(again) == {("a", "dummy/dummy"): [1, 3], ("b", "dummy/dummy"): [1]}
    info = SessionFolder.find(root / ".lve").info()
    assert info["failures_of"] == session


def test_a_changed_test_is_found_by_its_rows(root: Path, session: str) -> None:
    file = root / "a" / "instances" / "main.jsonl"
    first, *others = file.read_text().splitlines()
    file.write_text("\n".join([*others, first]))
    again = lve("run", "--failed-in", session, "-m", "dummy/dummy", "a", "--json")
    assert ran(again) == {("a", "dummy/dummy"): [2, 3]}


def test_what_the_session_began_with_holds(session: str) -> None:
    result = lve("run", "--failed-in", session, "-m", "dummy/dummy", "--limit", "1", code=2)
    assert isinstance(result.exception, UsageError)
    assert "--limit can't change what an earlier session began with" in str(result.exception)


def test_a_session_without_failures_says_so(root: Path) -> None:
    write(root / "c", ["Hello"])
    first = document(lve("run", "--json"))["session"]
    result = lve("run", "--failed-in", first, code=5)
    assert f"nothing failed unexpectedly in session {first}" in result.stderr


@pytest.mark.usefixtures("session")
def test_a_session_that_is_not_there() -> None:
    assert isinstance(lve("run", "--failed-in", "2020", code=2).exception, NoSessionError)


@pytest.mark.parametrize(
    "other", [["--resume"], ["--retry-errors"], ["--last-failed"], ["--dry-run"]]
)
def test_it_goes_with_no_other_session(session: str, other: list[str]) -> None:
    result = lve("run", "--failed-in", session, *other, code=2)
    assert "don't go together" in result.stderr


def kept(result: Any) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for one in result.results_in_memory:
        found.setdefault((one.test, one.model), []).append(one.line)
    return found


def test_python_runs_what_failed(root: Path, session: str) -> None:
    assert kept(api.run(root, failed_in=session)) == {("a", "replay"): [1, 3], ("b", "replay"): [1]}
    again = api.run(root / "a", failed_in=session, model="dummy/dummy")
    assert kept(again) == {("a", "dummy/dummy"): [1, 3]}
    assert again.folder.info()["failures_of"] == session
    assert kept(api.run(root / "c", failed_in=session)) == {}
    with pytest.raises(NoSessionError):
        api.run(root, failed_in="2020")
    with pytest.raises(UsageError, match="--limit can't change"):
        api.run(root, failed_in=session, limit=1)


def test_tests_that_failed_are_listed_and_checked(root: Path, session: str) -> None:
    listed = json.loads(lve("list", "--failed-in", session, "--json").stdout)["tests"]
    assert {one["path"]: one["instances"] for one in listed} == {"a": 2, "b": 1}
    checked = lve("check", "--failed-in", session, "b", "c")
    assert "1 test: all valid" in checked.stdout
    code, _, told = call("list", "c", "--failed-in", session)
    assert (code, "no test in c matches --failed-in" in told) == (5, True)
    assert isinstance(lve("list", "--failed-in", "2020", code=2).exception, NoSessionError)


def test_rows_that_moved_are_found_by_their_content(root: Path, session: str) -> None:
    file = root / "a" / "instances" / "main.jsonl"
    first, _, third = file.read_text().splitlines(keepends=True)
    file.write_text(first + third)
    listed = json.loads(lve("list", "a", "--failed-in", session, "--json").stdout)["tests"]
    assert [one["instances"] for one in listed] == [2]


def test_the_environment_may_name_the_session(
    root: Path, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LVE_FAILED_IN", session)
    assert set(ran(lve("run", "--json", code=1))) == {("a", "replay"), ("b", "replay")}
