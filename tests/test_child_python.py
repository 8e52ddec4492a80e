"""Processes of lve's own: what they run, what they see, how much they may take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lve.child_python import child_command, child_environment

MEGABYTE = 1_000_000
TAKES_MEMORY = """
import sys
from lve.child_python import limit_memory

def main(wanted):
    limit_memory(200_000_000)
    try:
        sys.exit(0 if len(bytearray(int(wanted))) == wanted else 2)
    except MemoryError:
        sys.exit(1)
"""
SAYS_PATH = "import json, sys\ndef main(): print(json.dumps([sys.path, sys.argv]))\n"


def test_a_process_finds_the_modules_that_this_one_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "says_path.py").write_text(SAYS_PATH, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = subprocess.run(child_command("says_path"), capture_output=True, check=True, cwd=tmp_path)
    path, arguments = json.loads(said.stdout)
    assert path == sys.path
    assert arguments == ["-c"]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is the system's")
@pytest.mark.parametrize(("wanted", "code"), [(50 * MEGABYTE, 0), (400 * MEGABYTE, 1)])
def test_a_process_gets_so_much_memory_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: int, code: int
) -> None:
    (tmp_path / "takes_memory.py").write_text(TAKES_MEMORY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    command = child_command("takes_memory", wanted)
    assert subprocess.run(command, env=child_environment(os.environ)).returncode == code


def test_it_sees_what_programs_need_and_no_keys() -> None:
    needed = {"PATH": "/bin", "LC_ALL": "C", "PYTHONUTF8": "1", "LD_LIBRARY_PATH": "/opt/lib"}
    keys = {"OPENAI_API_KEY": "k", "HF_TOKEN": "k", "HTTPS_PROXY": "http://me:k@proxy"}
    assert child_environment({**needed, **keys, "MINE": "x"}, ["MINE"]) == {**needed, "MINE": "x"}
