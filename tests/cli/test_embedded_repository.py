"""A contributed folder that is a git repository itself, whose configuration names a command."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.command_line import call
from support.forked import python

from lve.files.git import checkout_of

GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
DOCUMENT = """{"description": "x", "model": "dummy/dummy", "prompt": [{"content": "hi"}],
"checker_args": {"checker_name": "LambdaChecker", "func": "lambda r: True"}}"""


def git(folder: Path, *arguments: str) -> str:
    """Run git without anybody's configuration but the repository's."""
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env={**os.environ, **GIT}
    )
    return done.stdout


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What the command in the trap makes."""
    return tmp_path / "marker"


@pytest.fixture
def trap(tmp_path: Path, marker: Path) -> Path:
    """A folder in a fresh clone in which `git status` runs a command."""
    origin = tmp_path / "origin"
    folder = origin / "trap"
    folder.mkdir(parents=True)
    git(origin, "init")
    git(folder, "init", "--bare", ".")
    shutil.rmtree(folder / "hooks")
    for name in ("objects", "refs/heads", "refs/tags"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "kept").write_text("")
    (folder / ".lverepo").write_text("")
    (folder / ".gitattributes").write_text("* filter=x\n")
    (folder / "test.json").write_text(DOCUMENT)
    for setting, value in (
        ("core.bare", "false"),
        ("core.worktree", "."),
        ("filter.x.clean", f"touch {marker}; cat"),
    ):
        git(folder, "--git-dir=.", "config", setting, value)
    git(folder, "--git-dir=.", "--work-tree=.", "add", "test.json")
    git(folder, "--git-dir=.", "--work-tree=.", "commit", "-m", "x")
    git(origin, "add", "-f", ".")
    git(origin, "commit", "-m", "x")
    git(tmp_path, "clone", "origin", "clone")
    marker.unlink(missing_ok=True)
    return tmp_path / "clone/trap"


def test_git_itself_falls_into_the_trap(trap: Path, marker: Path) -> None:
    git(trap, "-c", "core.fsmonitor=false", "status")
    assert marker.exists()


@pytest.mark.parametrize(
    "command",
    [
        ["lve", "run", "."],
        ["lve", "run", "--dry-run", "."],
        ["lve", "check", "."],
        ["lve", "list", "."],
        ["lve", "render", "test.json"],
        ["lve", "record", "--to", "x", "."],
        ["pytest", "-p", "no:cacheprovider"],
        ["pytest", "-p", "no:cacheprovider", "-n", "1"],
    ],
    ids=" ".join,
)
def test_no_command_runs_what_the_folder_names(
    trap: Path, marker: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command[0] == "lve" and command[1:] != ["run", "."]:
        for name, value in GIT.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(trap)
        assert call(*command[1:])[0] == 0
        assert not marker.exists()
        return
    environment = {**os.environ, **GIT}
    done = subprocess.run(
        [*python(), "-m", *command],
        cwd=trap,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not marker.exists()


def test_the_commit_in_a_session_is_the_one_of_the_clone(trap: Path) -> None:
    assert checkout_of(trap) == {"commit": git(trap.parent, "rev-parse", "HEAD").strip()}
