"""`make quick` leaves out what it names, and nothing that is gone is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.slow import SLOW

TESTS = Path(__file__).parent


def test_what_is_left_out_is_there() -> None:
    assert [pattern for pattern in SLOW if not any(TESTS.glob(pattern))] == []


@pytest.mark.parametrize(("options", "found"), [((), True), (("--quick",), False)])
def test_only_quick_leaves_out_slow_tests(options: tuple[str, ...], found: bool) -> None:
    slow = TESTS / "execution" / "cache" / "test_sqlite.py"
    assert slow.relative_to(TESTS).as_posix() in SLOW
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", str(slow.parent), *options]
    ran = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert (slow.name in ran.stdout) is found, ran.stdout + ran.stderr
