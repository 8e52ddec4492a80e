"""Attacks in a namespace without a network: none reaches out, unless an attacker is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import write_test

from lve.extensions.attacks.by_name import NOT_IN_ALL

SOCKETS = """
import socket, sys
class Socket(socket.socket):
    def connect(self, address):
        print("REACHED", address, file=sys.stderr, flush=True)
        raise OSError("no network")
    connect_ex = connect
def resolve(*args, **kwargs):
    print("REACHED", args[:2], file=sys.stderr, flush=True)
    raise OSError("no network")
socket.socket, socket.getaddrinfo = Socket, resolve
sys.argv = ["lve", *sys.argv[1:]]
from lve.cli.main import main
main()
"""
"""Runs lve, and says to which address a socket is connected."""


def _unshare() -> list[str]:
    """Return the command that starts another one in a namespace without a network."""
    command = ["unshare", "-rn", "--"]
    if shutil.which("unshare") is None:
        pytest.skip("unshare isn't installed")
    done = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no network namespace may be made here: {done.stderr.strip()}")
    return command


def run(root: Path, *args: str, settings: dict[str, object]) -> tuple[int, str, str]:
    (root / "lve.yaml").write_text(json.dumps(settings))
    program = [sys.executable, "-c", SOCKETS, "run", "t", "-m", "target", *args]
    done = subprocess.run(
        [*_unshare(), *program],
        cwd=root,
        env={**os.environ, "FAR_KEY": "not-a-key"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


TARGET = {"provider": "scripted", "options": {"answers": {"default": "No."}}}
REMOTE = {"provider": "openai", "base_url": "http://203.0.113.1:9/v1"}


@pytest.mark.parametrize(
    "names", ["all", ",".join(name for name in NOT_IN_ALL if name != "decode")]
)
def test_no_attack_reaches_out_without_an_attacker(root: Path, names: str) -> None:
    write_test(root / "t", prompt="Hello you", checker_args=None, check={"not_contains": "PINE"})
    settings = {"models": {"target": TARGET}}
    code, shown, errors = run(root, "--attacks", names, settings=settings)
    assert "REACHED" not in errors
    assert code in (0, 2), errors  # 2: attacks that need an attacker don't run without one
    if names == "all":
        assert (code, shown.count("passed") > 30) == (0, True)
    else:
        assert "t@pair needs a model for the role `attacker`" in shown + errors


def test_an_attacker_that_is_named_is_asked(root: Path) -> None:
    write_test(root / "t", prompt="Hello", checker_args=None, check={"not_contains": "PINE"})
    settings = {
        "models": {"target": TARGET, "far": {**REMOTE, "api_key_env": "FAR_KEY"}},
        "roles": {"attacker": "far"},
    }
    errors = run(root, "--attacks", "pair", "--prompts", "pair", settings=settings)[2]
    assert "REACHED" in errors
