"""`.lve/` is its user's alone, and nothing in it is followed through a link or waited for."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.forked import python

from lve.errors import LveError

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="modes are POSIX's")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace with a test, in which one stands, and a umask that hides nothing."""
    old = os.umask(0)
    root = workspace(tmp_path / "root")
    write_test(root / "test")
    monkeypatch.chdir(root)
    yield root
    os.umask(old)


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*python(), "-m", *command],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def shared(folder: Path) -> list[Path]:
    """Return what somebody else may look into."""
    found = [folder, *folder.rglob("*")]
    return [path for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.mark.parametrize(
    ("place", "command"),
    [
        (".lve", ("lve", "run", "test")),
        ("elsewhere/state", ("lve", "run", "test")),
        (".lve", ("pytest",)),
        ("elsewhere/state", ("pytest", "-n", "1")),
    ],
)
def test_what_a_run_keeps_is_for_its_user_alone(
    root: Path, place: str, command: tuple[str, ...]
) -> None:
    options = () if place == ".lve" else ("--session-dir", place)
    if command[0] == "pytest":
        options = ("-p", "no:cacheprovider", *(o.replace("--s", "--lve-s") for o in options))
    done = run(root, *command, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((root / place / "runs").glob("*/results.jsonl"))
    assert shared(root / place) == []
    assert (root / place / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("before", ["", "a link", "a file"])
def test_git_ignores_what_a_run_keeps(root: Path, before: str) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    (root / ".lve").mkdir()
    ignore, elsewhere = root / ".lve/.gitignore", root / "elsewhere"
    if before == "a link":
        ignore.symlink_to(elsewhere)
    elif before == "a file":
        ignore.write_text("runs/\n")
    assert call("run", "test")[0] == 0
    assert not elsewhere.exists()
    if before == "a file":  # the user's own is left as it is
        assert ignore.read_text() == "runs/\n"
    else:
        status = subprocess.run(
            ["git", "status", "--short"], cwd=root, capture_output=True, text=True, check=True
        )
        assert (".lve" in status.stdout) is (before == "a link")


def test_a_folder_that_was_there_is_not_ignored(root: Path) -> None:
    (root / "mine").mkdir()
    assert call("run", "test", "--session-dir", "mine")[0] == 0
    assert not (root / "mine/.gitignore").exists()


def test_a_state_folder_of_an_older_version_becomes_private(root: Path) -> None:
    assert call("run", "test")[0] == 0
    for path in (root / ".lve", *(root / ".lve").rglob("*")):
        path.chmod(path.stat().st_mode | 0o055)
    assert call("run", "test")[0] == 0
    assert not (root / ".lve").stat().st_mode & 0o077


def test_a_folder_that_the_user_names_keeps_its_mode(root: Path) -> None:
    (root / "own").mkdir(mode=0o755)
    assert call("run", "--session-dir", "own", "test")[0] == 0
    assert shared(root / "own") == [root / "own"]


def contents(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Return what a folder holds: mode, size and time of the last change. Looking changes no more
    than the time of the last access."""
    found = ((path, path.lstat()) for path in folder.rglob("*"))
    return {path: (seen.st_mode, seen.st_size, seen.st_mtime_ns) for path, seen in found}


READERS = [
    ("run", "test"),
    ("run", "--resume"),
    ("run", "--last-failed"),
    ("score", "last"),
    ("cache", "stats"),
    ("cache", "clear", "--yes"),
]


@pytest.fixture
def private(root: Path) -> Path:
    """A folder of state to which `.lve` is a link."""
    assert call("run", "test")[0] == 0
    (root / ".lve").rename(root.parent / "private")
    (root / ".lve").symlink_to("../private")
    return root.parent / "private"


def refusal(*command: str) -> str:
    """Call a command that refuses to go on, and return why."""
    with pytest.raises(LveError) as caught:
        call(*command)
    return str(caught.value)


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_linked_state_folder_is_refused_and_left_alone(
    private: Path, command: tuple[str, ...]
) -> None:
    before = contents(private)
    assert "a link" in refusal(*command)
    assert contents(private) == before


@pytest.mark.parametrize(
    ("command", "code"),
    [(("lve", "run", "test"), 2), (("pytest", "-p", "no:cacheprovider"), 1)],
    ids=["lve", "pytest"],
)
def test_a_process_refuses_a_linked_state_folder(
    root: Path, private: Path, command: tuple[str, ...], code: int
) -> None:
    before = contents(private)
    done = run(root, *command)
    assert done.returncode == code
    assert "a link" in done.stdout + done.stderr
    assert contents(private) == before


@pytest.mark.parametrize("command", READERS[1:4], ids=" ".join)
@pytest.mark.parametrize("name", ["session.json", "results.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_pipe_or_link_in_a_session_is_an_error(
    root: Path, command: tuple[str, ...], name: str, kind: str
) -> None:
    assert call("run", "test")[0] == 0
    (session,) = (root / ".lve/runs").iterdir()
    file = session / name
    file.rename(root.parent / "private")
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(root.parent / "private")
    why = refusal(*command)
    assert str(file.relative_to(root)) in why
    assert "not a regular file" in why or "a link" in why


def test_a_linked_session_is_none(root: Path) -> None:
    assert call("run", "test")[0] == 0
    (session,) = (root / ".lve/runs").iterdir()
    session.rename(root.parent / session.name)
    session.symlink_to(root.parent / session.name)
    assert "there is no session" in refusal("score", "last")
