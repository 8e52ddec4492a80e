"""The sandbox in all commands, what the settings allow, and machines without a part of it."""

from __future__ import annotations

import json
import platform
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.forked import python
from support.trust import trust_settings, trusted

import lve
from lve.sandbox.layers import missing

needs_sandbox = pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")
CHECKER = """
import os, socket
from lve import Verdict

class C:
    def check(self, context):
        if os.environ.get("LVE_TEST_PORT"):
            port = int(os.environ["LVE_TEST_PORT"])
            socket.create_connection(("127.0.0.1", port)).close()
        return Verdict("passed", open(os.path.expanduser("~/key")).read())
"""
PATIENCE_S = 280
"""Until a command has ended, on a machine that does ten other things."""
REFUSED = "code of a test reads only its folder and Python's packages; `read: ["


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test whose checker reads a file of the home folder."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "key").write_text("the key")
    monkeypatch.setenv("HOME", str(home))
    root = workspace(tmp_path / "w")
    monkeypatch.chdir(root)
    folder = write_test(
        root / "t",
        checker_args={"checker_name": "C"},
        instances=[{"args": {}, "response": "Hello", "passed": True}],
        examples=[{"response": "Hello", "verdict": "passed"}],
    )
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CHECKER)
    return root


def trust(root: Path, **rights: Any) -> None:
    entry = trusted(root, root / "t" / "checker" / "checker.py", **rights)
    workspace(root, trust_settings(entry))


@needs_sandbox
@pytest.mark.parametrize(
    "command",
    [
        ["run", "t", "--trust"],
        ["run", "t", "--trust", "--model", "replay"],
        ["check", "t", "--trust"],
        ["record", "t", "--trust"],
    ],
    ids=" ".join,
)
def test_commands_run_code_in_it(root: Path, command: list[str]) -> None:
    code, out, told = call(*command)
    assert code != 0
    assert REFUSED in out + told


@needs_sandbox
def test_score_judges_in_it(root: Path) -> None:
    trust(root, read=("~/key",))
    assert call("run", "t")[0] == 0
    assert call("score", "last")[0] == 0
    trust(root)
    code, out, _ = call("score", "last")
    assert (code, REFUSED in out) == (3, True)


@needs_sandbox
def test_python_runs_code_in_it(root: Path) -> None:
    [result] = lve.run("t", trust=True).results
    assert (result.verdict, REFUSED in result.reason) == ("error", True)


@needs_sandbox
@pytest.mark.parametrize("more", [[], ["-n1"]], ids=["one process", "a worker"])
def test_pytest_runs_code_in_it(pytester: pytest.Pytester, root: Path, more: list[str]) -> None:
    ran = pytester.run(*python(), "-m", "pytest", str(root / "t"), "--lve-trust", *more)
    assert REFUSED in ran.stdout.str().replace("\nE   ", "")
    assert "passed" not in ran.parseoutcomes()


@needs_sandbox
def test_the_settings_allow_more(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust(root, read=("~/key",))
    assert lve.run("t").results[0].reason.endswith("the key")
    assert call("check", "t", "--trust")[0] == 0
    trust(root, read=("../home",))
    assert lve.run("t").results[0].verdict == "passed"
    trust(root, sandbox=False)
    assert lve.run("t").results[0].verdict == "passed"
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("LVE_TEST_PORT", str(server.getsockname()[1]))
        trust(root, env=("LVE_TEST_PORT",), read=("~/key",))
        assert "has no network" in lve.run("t").results[0].reason
        trust(root, env=("LVE_TEST_PORT",), read=("~/key",), network=True)
        assert lve.run("t").results[0].verdict == "passed"


@needs_sandbox
@pytest.mark.parametrize(
    ("name", "mode"),
    [("home/key", "r"), ("home/key", "r+"), ("home/new", "w"), ("new", "a")],
)
def test_what_the_error_advises_is_enough(root: Path, name: str, mode: str) -> None:
    place = root.parent / name
    body = f"open({str(place)!r}, {mode!r}).close()\n        return True\n"
    code = f"class C:\n    def check(self, context):\n        {body}"
    (root / "t" / "checker" / "checker.py").write_text(code)
    rights: dict[str, tuple[str, ...]] = {}
    for _ in mode:  # who writes to what is there is first told that it can't be read
        reason = lve.run("t", trust=True).results[0].reason
        said = re.search(r"`(read|write): \[(.*)\]` in the file's entry", reason)
        assert said is not None, reason
        rights[said[1]] = (said[2],)
        trust(root, **rights)
    assert lve.run("t").results[0].verdict == "passed"


def test_a_test_can_not_allow_itself_anything(root: Path) -> None:
    for name in ("sandbox", "network", "read", "trust"):
        write_test(root / "u", **{name: True})
        assert call("check", "u")[0] == 2


@needs_sandbox
def test_the_session_says_what_there_was(root: Path) -> None:
    call("run", "t", "--trust")
    [session] = (root / ".lve" / "runs").iterdir()
    info = json.loads((session / "session.json").read_text())
    assert info["sandbox"] == {"landlock": True, "seccomp": True}


FORBIDDING = """
import ctypes, errno, sys
from lve.sandbox.seccomp import Instruction, install
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0
no, yes = Instruction(6, 0x50000 | errno.ENOSYS), Instruction(6, 0x7FFF0000)
calls = [int(number) for number in sys.argv[1].split(",")]
checks = [one for n in calls for one in (Instruction(0x15, n, if_false=1), no)]
install([Instruction(0x20, 0), *checks, yes])
sys.argv[1:] = sys.argv[2:]
from lve.__main__ import main
main()
"""
"""Runs lve as a system without some system calls does: an older kernel, a container."""
LANDLOCK, SECCOMP = 444, {"aarch64": 277}.get(platform.machine(), 317)


def run_without(calls: tuple[int, ...], root: Path) -> subprocess.CompletedProcess[str]:
    command = [*python(), "-c", FORBIDDING, ",".join(map(str, calls)), "run", "t", "--trust"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=PATIENCE_S)


@needs_sandbox
@pytest.mark.parametrize(
    ("calls", "said", "passes"),
    [
        ((LANDLOCK,), "isn't kept from other files, and writing (landlock: ", True),
        ((SECCOMP,), "isn't kept from the network, other processes and the kernel (secc", False),
        ((LANDLOCK, SECCOMP), "; nor from the network, other processes and the kernel", True),
    ],
    ids=["no Landlock", "no seccomp", "neither"],
)
def test_what_is_missing_is_said_once_and_the_rest_holds(
    root: Path, calls: tuple[int, ...], said: str, passes: bool
) -> None:
    ran = run_without(calls, root)
    assert ran.stderr.count(said) == 1, ran.stderr
    assert (ran.returncode == 0) is passes, ran.stdout + ran.stderr
    if not passes:
        assert REFUSED in ran.stdout


@needs_sandbox
def test_code_that_needs_a_whole_sandbox_is_skipped_without(root: Path) -> None:
    workspace(root, "sandbox: required\n")
    assert REFUSED in call("run", "t", "--trust")[1], "with one it runs"
    ran = run_without((LANDLOCK,), root)
    assert ran.returncode == 5, ran.stdout + ran.stderr
    assert "`sandbox: required`" in ran.stdout
    assert "landlock" in ran.stdout
