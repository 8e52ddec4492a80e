"""Plants faults of `mutation.py` in copies of the tree and runs tests there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from mutants import Mutant

ROOT = Path(__file__).resolve().parents[1]
SECONDS_OF_TESTS = 60.0
"""How long the tests of one fault may take together when nothing is wrong."""
SECONDS_OF_READERS = 20.0
"""How long those may take that only read the module's text."""
NEAREST = 30
"""Tests that run first: most faults end there, and pytest takes long to collect hundreds."""


def environment_of(copy: Path, *more: str) -> dict[str, str]:
    """Return the environment in which a copy's code is imported.

    No bytecode is written there: a fault planted within one tick of the clock would not be seen.
    """
    inherited = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(copy), *more, *([inherited] if inherited else ())])
    return dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")


def copy_of_tree(target: Path) -> Path:
    """Copy what git knows into a folder and return that folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    return target


def compile_copy(copy: Path) -> None:
    """Keep the bytecode of a copy, so that a process there starts in a fifth of the time.

    It is valid for the text that it was made of, not for a time: a fault is compiled anew. pytest
    keeps the tests' own, which nobody changes.
    """
    python = [sys.executable, "-m"]
    compiled = [*python, "compileall", "-q", "--invalidation-mode", "checked-hash", "lve", "tests"]
    collected = [*python, "pytest", "-qq", "--collect-only", "-p", "no:cacheprovider", "tests"]
    environment = environment_of(copy)
    subprocess.run(compiled, cwd=copy, env=environment, check=True)
    del environment["PYTHONDONTWRITEBYTECODE"]
    subprocess.run(collected, cwd=copy, env=environment, check=False, stdout=subprocess.DEVNULL)


def is_noticed_in(copy: Path, mutant: Mutant, tests: list[str]) -> bool:
    """Return whether a test fails in a copy of the tree with a fault, and passes without it."""
    module = copy / mutant.module
    source = module.read_text()
    for some in (tests[:NEAREST], tests[NEAREST:]):
        while some:
            module.write_text(mutant.applied(source))
            try:
                failing = failing_tests(copy, some)
            finally:
                module.write_text(source)
            if not failing:
                break
            if not failing_tests(copy, failing):
                return True
            some = [test for test in some if test not in failing]  # those say nothing here
    return False


def failing_tests(copy: Path, tests: list[str]) -> list[str]:
    """Return the first test that fails in a copy of the tree; all if they end in no other way."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
            cwd=copy,
            env=environment_of(copy),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=4 * SECONDS_OF_TESTS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return tests
    if done.returncode == 0:
        return []
    told = re.findall("^(?:FAILED|ERROR) (.*)", done.stdout, re.MULTILINE)
    return [
        test for test in tests if any(f"{line} ".startswith(f"{test} ") for line in told)
    ] or tests
