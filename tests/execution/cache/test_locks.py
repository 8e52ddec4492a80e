"""File systems without locks: every command says so once, at once, and works."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from execution.cache.no_locks import without_locks
from support.folders import write_test
from support.server import model_server

from lve.execution.cache.locks import NO_LOCKS, require_locks

SOON_S = 9.0
"""Far less than the 20 seconds for which SQLite would be asked again; most of it is the start."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a workspace whose model answers while the module's tests run."""
    folder = tmp_path_factory.mktemp("locks") / "w"
    write_test(folder / "t", model="m", check={"contains": "Paris"}, checker_args=None)
    with model_server("Paris") as server:
        settings = {"models": {"m": {"base_url": server.url, "model": "m"}}}
        (folder / "lve.yaml").write_text(json.dumps(settings))
        yield folder


@pytest.fixture(scope="module")
def two_sessions(workspace: Path) -> Path:
    """Return a folder with the workspace, in which two sessions ran with locks. They know where:
    commands run in it, and none of them adds a session."""
    ran = workspace.parent / "ran"
    shutil.copytree(workspace, ran / "w")
    for _ in range(2):
        assert lve(ran, "run", "t", has_locks=True)[0] == 0
    return ran


def lve(root: Path, *words: str, has_locks: bool = False) -> tuple[int, str, float]:
    """Return the exit code, the output and the duration of a command."""
    environment = None if has_locks else without_locks(root / "w", root)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "lve", *words],
        cwd=root / "w",
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr, time.monotonic() - started


def test_runs_work_without_a_cache(tmp_path: Path, workspace: Path) -> None:
    shutil.copytree(workspace, tmp_path / "w")
    code, said, lasted_s = lve(tmp_path, "run", "t")
    assert code == 0
    assert said.count("no locks") == 1
    assert "--session-dir" in said
    assert lasted_s < SOON_S
    assert not (tmp_path / "w" / ".lve" / "cache.db").exists()
    code, said, lasted_s = lve(tmp_path, "run", "t", "--no-cache")
    assert (code, "no locks" in said) == (0, False)
    code, said, _ = lve(tmp_path, "run", "t", "--session-dir", str(tmp_path / "elsewhere"))
    assert (code, "no locks" in said) == (0, False)
    assert (tmp_path / "elsewhere" / "cache.db").exists()
    assert not [*(tmp_path / "w" / ".lve").glob(".locks*")]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("session", "cache", "stats"), 2),
        (("session", "cache", "prune", "--older-than", "30d"), 2),
        (("doctor",), 2),
        (("run", "--resume", "last"), 0),
        (("score", "last"), 0),
        (("session", "list"), 0),
        (("compare", "last~1", "last"), 0),
    ],
)
def test_no_command_waits(two_sessions: Path, words: tuple[str, ...], code: int) -> None:
    ended, said, lasted_s = lve(two_sessions, *words)
    assert lasted_s < SOON_S, said
    assert ended == code, said
    assert said.count("no locks") <= 1
    if code == 2:
        assert NO_LOCKS in said
    assert "[cache] [cache]" not in said
    assert "delete" not in said


def test_a_folder_with_locks_passes_and_keeps_nothing(tmp_path: Path) -> None:
    require_locks(tmp_path)
    require_locks(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
