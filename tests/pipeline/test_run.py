"""What a run leaves when it can't begin, or can't end in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_sums, write_test
from support.server import model_server

from lve.errors import SessionError, UsageError
from lve.pipeline.engine import Engine
from lve.results.journal import Journal
from lve.results.session import SessionFolder
from lve.results.session_file import session_ids


def last(root: Path) -> SessionFolder:
    return SessionFolder.find(root / ".lve")


@pytest.mark.parametrize(
    ("args", "expected"),
    [(["-p", "nope=1"], "has no parameter 'nope'"), (["-p", "a=x"], "must be int, not 'x'")],
)
def test_a_mistaken_parameter_begins_no_session(root: Path, args: list[str], expected: str) -> None:
    write_test(root / "s", skip="never")
    write_sums(root / "t", 3, prompt_parameters_validator=["int", "int"])
    with pytest.raises(UsageError, match=expected):
        call("run", ".", "--model", "replay", *args)
    assert session_ids(root / ".lve") == []


def test_an_interrupted_session_is_the_last_one_after_a_mistake(root: Path) -> None:
    write_sums(root / "t", 5)
    with model_server() as server:
        at = ["--model", "openai/test", "--base-url", server.url, "--max-requests", "2"]
        assert lve("run", "t", *at).exit_code == 6
        assert lve("run", "t", "-p", "nope=1").exception is not None
        assert lve("run", "--resume", *at[:4], "--max-requests", "9").exit_code == 0
        assert len(server.requests) == 5


def test_a_run_of_nothing_does_not_become_the_last_one(root: Path) -> None:
    write_sums(
        root / "t",
        3,
        model="replay",
        checker_args={"checker_name": "RegexChecker", "pattern": "[0-4]", "match_safe": False},
    )
    assert lve("run", "t").exit_code == 1
    failed = last(root).id
    assert lve("run", "t", "--index", "999").exit_code == 5
    assert len(session_ids(root / ".lve")) == 2
    assert last(root).id == failed
    assert lve("run", "--last-failed").exit_code == 1


def test_a_session_that_cannot_be_counted_ends_as_failed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sums(root / "t", 3)
    lve("run", "t", "--model", "replay")

    def unreadable(*_: Any, **__: Any) -> Any:
        raise SessionError("results.jsonl can't be read")

    with monkeypatch.context() as patch:
        patch.setattr(SessionFolder, "results", unreadable)
        with pytest.raises(SessionError, match="can't be read"):
            call("run", "--resume")
    assert last(root).info()["status"] == "failed"
    last(root).open_journal().close()  # nobody holds it


@pytest.mark.parametrize("what", [Engine, Journal])
def test_how_a_session_ended_is_written_whatever_cannot_be_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch, what: type
) -> None:
    write_sums(root / "t", 3)
    close: Callable[[Any], Any] = what.close

    def broken(self: Any) -> Any:
        if what is Journal:
            close(self)
        raise SessionError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(what, "close", broken)
        with pytest.raises(SessionError, match="the disk is full"):
            call("run", "t", "--model", "replay")
    info = json.loads((last(root).path / "session.json").read_text())
    assert info["status"] == "failed"
    assert info["spent"]["requests"] == 3
    assert info["summary"]["instances"]["passed"] == 3
