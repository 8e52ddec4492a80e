"""What the kernel sees of `lve run` on hostile folders: programs, sockets and files.

The audit hook of test_folders.py sees what Python does in one process; strace sees libraries and
child processes, too. Linux with strace only.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.doors import KEY, build_all, remove
from hostile.recipes import Traps, load_cases
from support.server import model_server

TRACED = "execve,execveat,connect,open,openat,openat2,creat,rename,unlink,symlink"
GROUPS = ("files-", "code-", "texts-", "expressions-expression-escape")
STRACE = shutil.which("strace")
FAST = ("-f", "--seccomp-bpf")
"""The kernel stops the programs at what is traced only."""


def _can_trace() -> bool:
    if STRACE is None:
        return False
    tried = subprocess.run(
        [STRACE, *FAST, "-o", "/dev/null", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0


@pytest.mark.skipif(not _can_trace(), reason="needs strace, and the right to trace")
def test_the_kernel_sees_nothing_but_python_and_the_model(tmp_path: Path) -> None:
    cases = [case for case in load_cases() if case.id.startswith(GROUPS) and case.cwd == "."]
    log = tmp_path / "trace"
    with model_server("4") as model, model_server("trapped") as trap:
        workspace = tmp_path / "ws"
        traps = Traps(tmp_path / "canary", tmp_path / "outside.txt", trap.url)
        traps.outside.write_text("outside\n")
        folders = {name: files for case in cases for name, files in case.folders.items()}
        build_all(workspace, folders, traps)
        traced = [STRACE, *FAST, "-qq", "-y", "-s", "300", "-e", f"trace={TRACED}", "-o", log]
        command = [sys.executable, "-m", "lve", "run", "tests", "--model", "openai/x"]
        limits = ["--base-url", model.url, "--timeout", "20", "--deadline", "40"]
        ran = subprocess.run(
            [str(word) for word in (*traced, *command, *limits)],
            cwd=workspace,
            env={"OPENAI_API_KEY": KEY, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode in (1, 2, 3), ran.stderr[-2000:]
        assert len(model.requests) > 10  # what is harmless did run
        assert not trap.requests
        lines = log.read_text(errors="replace").splitlines()
    remove(workspace)
    assert not traps.canary.exists()
    assert _programs(lines) == {sys.executable}
    assert _peers(lines) == {str(model.port)}
    assert not [line for line in lines if _opened_outside(line, tmp_path)]


def _programs(lines: list[str]) -> set[str]:
    """Return the programs that were started."""
    started = (re.search(r'execve\("([^"]+)".* = 0$', line) for line in lines)
    return {found[1] for found in started if found}


def _peers(lines: list[str]) -> set[str]:
    """Return the ports that were connected to; what has no port as it is."""
    peers = set()
    for line in lines:
        if " connect(" in line and "/nscd/" not in line:  # the C library asks nscd for users
            port = re.search(r"sin6?_port=htons\((\d+)\)", line)
            peers.add(port[1] if port else line)
    return peers


def _opened_outside(line: str, place: Path) -> bool:
    """Whether a file of the user's beside the workspace was opened."""
    opened = re.search(r" = \d+<([^>]+)>$", line)
    if opened is None or not opened[1].startswith(str(place)):
        return False
    return not opened[1].startswith(str(place / "ws"))
