"""Trusted code that turns out to be hostile, with the whole of `lve run`: it gets an error as its
verdict, the next test goes on, and nothing of it stays."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.forked import python
from support.trust import trust_settings, trusted

from lve.sandbox.layers import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")
CHECKER = """
import os, site, sys, tempfile, time
from lve import Verdict

HOME = tempfile.gettempdir()

class C:
    def check(self, context):
        return attempt()

def attempt():
"""
FORK_BOMB = """
while True:
    try:
        os.fork()
    except BlockingIOError:
        if os.getpid() == os.getpgrp():
            raise
        time.sleep(60)
"""
FLOOD = """
while True:
    os.write(1, b"x" * 100_000)
    print("y" * 1000)
"""
MEMORY = """
kept = bytearray(3_000_000_000)
"""
MEMORY_OF_MANY = """
for _ in range(6):
    if os.fork() == 0:
        kept = b"x" * 60_000_000
        time.sleep(60)
time.sleep(60)
"""
TINY_FILES = """
for number in range(40_000):
    if number % 1000 == 0:
        os.mkdir(f"{HOME}/{number}")
        place = f"{HOME}/{number}"
    os.close(os.open(f"{place}/{number}", os.O_CREAT | os.O_WRONLY))
time.sleep(60)
"""
DEEP = """
os.chdir(HOME)
for _ in range(150):
    os.mkdir("d")
    os.chdir("d")
time.sleep(60)
"""
HIDDEN = 'os.mkdir(f"{HOME}/hidden", 0o300)'
MASKED = """
os.umask(0o400)
os.mkdir(f"{HOME}/masked")
sys.exit(f"the mode is {os.stat(f'{HOME}/masked').st_mode & 0o500:o}")
"""
PTH = """
code = "import os; open(os.environ['LVE_TEST_MARK'], 'w').close()\\n"
texts = {"evil.pth": code, "json.py": code, "lve.py": code}
texts |= {"sitecustomize.py": code, "usercustomize.py": code}
beside = os.path.dirname(os.path.abspath(__file__))
for place in [HOME, os.getcwd(), beside, site.getusersitepackages(), *sys.path]:
    for name, text in texts.items():
        try:
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name), "x") as file:
                file.write(text)
        except OSError:
            if place == HOME:
                raise
sys.exit("wrote all")
"""
MODES = "nor change modes of files"
CASES = {
    "a fork bomb": (
        FORK_BOMB,
        "started more than 500 processes|only so many processes",
    ),
    "a flood of output": (FLOOD, "took longer than 10 s and was stopped"),
    "memory": (MEMORY, "has 2 GB of memory; `memory_gb: 4`"),
    "tiny files": (TINY_FILES, "filled its temporary folder"),
    "deep folders": (DEEP, "filled its temporary folder"),
    "a hidden folder": (HIDDEN, MODES),
    "a mask for hidden folders": (MASKED, "the mode is 500"),
    "files that Python imports": (PTH, "wrote all"),
}


def checker(root: Path, body: str, timeout_s: int = 60) -> Path:
    """Write a workspace with a test that runs code and one that doesn't; return the code's file.
    A busy machine may need a while until the code reaches a limit that isn't one of time."""
    workspace(root)
    instance = {"args": {}, "response": "Hello", "passed": True}
    for name, args in (("t", {"checker_args": {"checker_name": "C"}}), ("good", {})):
        write_test(root / name, instances=[instance], timeout_s=timeout_s, **args)
    file = root / "t" / "checker" / "checker.py"
    file.parent.mkdir()
    file.write_text(CHECKER + "".join(f"    {line}\n" for line in body.splitlines()))
    (root.parent / "tmp").mkdir()
    return file


def run(root: Path, *more: str) -> str:
    """Run the tests; return what is said of them."""
    environment = {**os.environ, "TMPDIR": str(root.parent / "tmp")}
    environment["LVE_TEST_MARK"] = str(root.parent / "mark")
    ran = subprocess.run(
        [*python(), "-m", "lve", "run", "t", "good", *more],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert len(ran.stdout + ran.stderr) < 10_000
    return " ".join(ran.stdout.split())


def nothing_stays(root: Path) -> bool:
    return not list((root.parent / "tmp").glob("lve-sandbox*"))


@pytest.mark.parametrize("name", CASES)
def test_hostile_code_achieves_nothing(name: str, tmp_path: Path) -> None:
    body, why = CASES[name]
    root = tmp_path / "w"
    checker(root, body, timeout_s=10 if "longer than 10 s" in why else 60)
    before = time.monotonic()
    said = run(root, "--trust")
    assert re.search(why, said), said
    assert "good · dummy/dummy · 1/1 passed" in said
    assert time.monotonic() - before < 100
    assert nothing_stays(root)
    files = sorted(file.name for file in (root / "t").rglob("*") if file.is_file())
    assert files == ["checker.py", "main.jsonl", "test.json"]
    if name == "files that Python imports":
        run(root, "--trust")
        assert not (tmp_path / "mark").exists()


def test_processes_share_what_they_may_take_of_memory(tmp_path: Path) -> None:
    root = tmp_path / "w"
    file = checker(root, MEMORY_OF_MANY)
    workspace(root, trust_settings(trusted(root, file, memory_gb=0.1)))
    assert "took more than 0.2 GB of memory and was stopped" in run(root)
    assert nothing_stays(root)


def test_the_settings_allow_more_memory(tmp_path: Path) -> None:
    root = tmp_path / "w"
    take = "import mmap\nkept = mmap.mmap(-1, 2_500_000_000, flags=mmap.MAP_PRIVATE)\n"
    file = checker(root, take + "raise OSError('enough')")
    assert "has 2 GB of memory" in run(root, "--trust")
    for rights in ({"memory_gb": 3}, {"sandbox": False}):
        workspace(root, trust_settings(trusted(root, file, **rights)))
        assert "enough" in run(root)
    workspace(root, trust_settings(trusted(root, file, sandbox=False, memory_gb=1)))
    assert "Cannot allocate memory" in run(root)
