"""A `.lve/` that came with somebody's folder: it decides nothing that a test folder may not."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace, write_sums, write_test
from support.run_command import at, instances
from support.server import ModelServer

from lve.sessions.session_folder import SessionFolder

Change = Callable[..., None]
AGAIN = (["--resume"], ["--retry-errors"], ["--last-failed"])
ALL_DOORS = (*(["run", *again] for again in AGAIN), ["score", "last"])
NEVER = {"checker_name": "RegexChecker", "match_safe": False}
SPY = """
from lve import Verdict

class Spy:
    def check(self, context):
        return Verdict("failed", "the spy ran")
"""


@pytest.fixture
def session(root: Path) -> Change:
    """A session that failed; called, it says something else."""
    write_test(root / "t", checker_args={**NEVER, "pattern": "Hello"})
    lve("run", "t", code=1)

    def change(options: dict[str, Any], **fields: Any) -> None:
        file = SessionFolder.find(root / ".lve").path / "session.json"
        info = {**json.loads(file.read_text()), **fields}
        info["options"] |= options
        file.write_text(json.dumps(info))

    return change


def refusal(*arguments: str) -> str:
    result = lve(*arguments, code=None)
    assert type(result.exception).__name__ in ("UsageError", "SessionError"), result.output
    return str(result.exception)


@pytest.mark.parametrize("again", AGAIN)
def test_a_session_trusts_nobody(root: Path, session: Change, again: list[str]) -> None:
    write_test(root / "t", checker_args={"checker_name": "Spy"})
    (root / "t" / "checker").mkdir()
    (root / "t" / "checker" / "checker.py").write_text(SPY)
    session({"trust": True})
    said = refusal("run", *again)
    assert said.endswith("ran with --trust: give it again to go on with it")
    assert "the spy ran" not in lve("show", "last", "--failures").output
    assert "the spy ran" in lve("run", "--last-failed", "--trust", code=1).output


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("model", ["hf//srv/model", "hf/../model", "hf/~/model"])
def test_a_session_opens_no_model_elsewhere(
    root: Path, session: Change, again: list[str], model: str
) -> None:
    session({"models": [model]})
    assert f"ran with --model {model}: give it again" in refusal("run", *again)


@pytest.mark.parametrize("again", AGAIN)
def test_a_session_sends_no_key_anywhere(
    root: Path,
    session: Change,
    server: ModelServer,
    again: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user-0123456789")
    session({"trust": True, "base_url": server.url, "models": ["openai/test"]})
    said = refusal("run", *again)
    assert "--trust" in said
    assert f"--base-url {server.url}: give them again to go on with them" in said
    assert server.requests == []


BEYOND = {
    "max_connections": (65, "--max-connections 65"),
    "max_tests": (10**12, "--max-tests 1000"),
    "repeats": (101, "--repeats 101"),
}


@pytest.mark.parametrize("name", BEYOND)
def test_more_than_holds_without_the_session_is_given_again(session: Change, name: str) -> None:
    value, words = BEYOND[name]
    session({name: value})
    assert words in refusal("run", "--resume")


def test_a_pace_that_is_slower_is_kept(root: Path, server: ModelServer) -> None:
    write_sums(root / "t", 6)
    lve("run", "t", *at(server), "-j", "2", "--max-requests", "2", code=6)
    info = SessionFolder.find(root / ".lve").info()
    assert info["options"]["max_connections"] == 2
    result = lve("run", "--resume", *at(server), "--max-requests", "9", "--json")
    assert len(instances(result)) == 6


SMUGGLED = [
    ({"model_args": {"extra_headers": {"X": "1"}}}, "extra_headers"),
    ({"model_args": {"base_url": "http://127.0.0.1:1/v1"}}, "base_url"),
    ({"model_args": {"api_key": "sk-1"}}, "a key can't be given as `api_key`"),
    ({"model_args": {"stream": True}}, "stream"),
    ({"max_tests": 0}, "max_tests must be a whole number from 1 on"),
    ({"max_requests": -1}, "max_requests must be"),
    ({"timeout_s": 0}, "timeout_s must be"),
    ({"index": -1}, "index must be"),
    ({"index": 10**300}, "index must be a whole number up to 1,000,000,000,000, not 1000"),
    ({"timeout_s": 10**400}, "timeout_s must be a number of seconds above 0, not 1000"),
]


@pytest.mark.parametrize(("options", "said"), SMUGGLED)
def test_what_could_not_be_typed(session: Change, options: dict[str, Any], said: str) -> None:
    session(options)
    assert said in refusal("run", "--resume")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1e999"])
@pytest.mark.parametrize("door", ALL_DOORS)
def test_numbers_that_are_none(
    root: Path, session: Change, value: float | str, door: list[str]
) -> None:
    session({}, spent_unrecorded={"cost": 7.5})
    file = SessionFolder.find(root / ".lve").path / "session.json"
    written = value if isinstance(value, str) else json.dumps(value)
    file.write_text(file.read_text().replace("7.5", written))
    result = lve(*door, code=3)
    assert "can't be read" in str(result.exception) + result.output
    assert "Traceback" not in result.output


LIES: list[dict[str, Any]] = [
    {"cost": -1000.0},
    {"cost": float("nan")},
    {"cost": "free"},
    {"usage": {"prompt_tokens": -9000, "completion_tokens": -9000}},
    {"verdict": "splendid"},
    {"transcripts": [{"messages": 1, "filled": [0], "completions": []}]},
    {"test": ["t"]},
    {"line": None},
    {"line": 2.0},
    {"line": 1e308},
    {"repeat": 1.0},
    {"usage": {"prompt_tokens": 3.0, "completion_tokens": 4.0}},
]


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("door", [["run", "--resume"], ["score", "last"]])
def test_a_line_that_cannot_be_is_left_out(
    root: Path, session: Change, door: list[str], lie: dict[str, Any]
) -> None:
    journal = SessionFolder.find(root / ".lve").results_file
    line = json.loads(journal.read_text())
    journal.write_text(json.dumps(line) + "\n" + json.dumps({**line, "repeat": 1, **lie}) + "\n")
    result = lve(*door, code=1)
    assert "1 damaged line is left out" in result.output


def test_very_large_numbers_are_honest(root: Path, session: Change) -> None:
    journal = SessionFolder.find(root / ".lve").results_file
    line = json.loads(journal.read_text())
    journal.write_text(json.dumps({**line, "args": {"n": 10**40}}) + "\n")
    assert "damaged" not in lve("score", "last", code=1).output


@pytest.mark.parametrize("door", ALL_DOORS)
def test_a_session_names_no_tests_elsewhere(
    root: Path, session: Change, door: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_test(elsewhere / "private")
    (root / "link").symlink_to(elsewhere)
    for path in (str(elsewhere), f"{root}/../{elsewhere.name}", str(root / "link"), "/**"):
        session({}, paths=[path])
        assert "lies outside of" in refusal(*door)


def test_tests_elsewhere_are_named_again(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in ("one", "two"):
        write_sums(workspace(tmp_path / name) / "t", 3)
    here = workspace(tmp_path / "here")
    monkeypatch.chdir(here)
    first = lve(
        "run", "../one/t", "../two/t", *at(server), "--max-requests", "2", "--no-cache", code=6
    )
    hint = next(line for line in first.stdout.splitlines() if "lve run --resume" in line)
    words = shlex.split(hint.partition("lve run ")[2].partition(" --max-requests")[0])
    assert len(instances(lve("run", *words, "--max-requests", "99", "--json"))) == 6


def test_the_place_of_a_session_is_where_it_was_found(root: Path, session: Change) -> None:
    session({"state": str(root / "other")})
    lve("run", "--resume", code=1)
    assert not (root / "other").exists()


@pytest.mark.parametrize("name", ["trust", "keep", "use_cache"])
def test_a_session_of_a_wrong_type(session: Change, name: str) -> None:
    session({name: "yes"})
    assert "was damaged" in refusal("run", "--resume")


def test_a_parameter_that_is_no_text(root: Path, session: Change) -> None:
    write_sums(root / "t", 1, model="replay", prompt_parameters_validator=["int", "int"])
    session({"parameters": {"a": [1], "b": {"c": 2}}})
    assert "parameter 'a' must be int" in refusal("run", "--resume")


def foreign(root: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Make the state folder somebody else's."""
    write_test(root / "t")
    lve("run", "t")
    if how == "another user":
        owner = (root / ".lve").lstat().st_uid
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        return
    for arguments in (["init", "-q"], ["add", "-f", ".lve"]):
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


@pytest.mark.skipif(os.name == "nt", reason="POSIX owners")
@pytest.mark.parametrize("how", ["git tracks", "another user"])
def test_a_state_folder_that_is_somebody_elses(
    root: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    foreign(root, monkeypatch, how)
    before = sorted((root / ".lve" / "runs").iterdir())
    doors = (
        ["run", "t"],
        *ALL_DOORS,
        ["cache", "stats"],
        ["cache", "clear", "-y"],
        ["record", "t"],
    )
    for door in doors:
        said = refusal(*door)
        assert said.startswith(
            f".lve: {'git tracks it' if how == 'git tracks' else 'it is another user'}"
        )
        assert "--session-dir" in said
    assert sorted((root / ".lve" / "runs").iterdir()) == before
    for door in (["check", "t"], ["render", "t"], ["list", "t"], ["show", "t"]):
        lve(*door)
    if how == "another user":  # who owns whatever is made here
        return
    other = str(root / "other")
    lve("run", "t", "--session-dir", other)
    lve("score", "last", "--session-dir", other)


@pytest.mark.parametrize("more", [[], ["-n", "1"]], ids=["alone", "xdist"])
def test_pytest_does_not_use_a_state_folder_that_git_tracks(
    root: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    foreign(root, monkeypatch, "git tracks")
    before = sorted((root / ".lve" / "runs").iterdir())
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "t", "-p", "no:cacheprovider", *more],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 1
    assert "git tracks it" in result.stdout
    assert "INTERNALERROR" not in result.stdout
    assert sorted((root / ".lve" / "runs").iterdir()) == before
