"""The hostile tests once more as a user who isn't root, if root runs them: what holds for root may
be evaded by a user who can't read a folder, and the other way round."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sandbox.ordinary_user import IS_ROOT, run_as_ordinary_user
from support.examples import FUZZING

SHORT = (
    "tests/sandbox/test_hostile_code.py",
    "tests/sandbox/test_swapped_folders.py",
    "tests/sandbox/test_watch.py",
    "tests/child/test_supervisor.py",
    "tests/sandbox/test_removal.py",
)
WHOLE = (
    *("tests/sandbox", "tests/child", "tests/hostile"),
    *("tests/checkers/library/test_hostile.py", "tests/checkers/test_hostile_answers.py"),
)


@pytest.mark.skipif(not IS_ROOT, reason="who runs the tests is an ordinary user")
@pytest.mark.timeout(7200)
def test_what_holds_for_root_holds_for_others(tmp_path: Path) -> None:
    more = ("-n", "2", "--dist", "worksteal") if FUZZING else ()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more]
    command += ["-W", "ignore:The database setting is not configured"]  # hypothesis can't write
    ran = run_as_ordinary_user(
        [*command, *(WHOLE if FUZZING else SHORT)], tmp_path, timeout_s=7200 if FUZZING else 280
    )
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert " passed" in ran.stdout
