"""Code that swaps folders for links while lve removes them: nothing outside is touched."""

from __future__ import annotations

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from sandbox.swapping import is_untouched, make_victim, swapping_checker
from support.examples import FUZZING

from lve.child.started_process import Started
from lve.sandbox.layers import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")
ROUNDS = 300 if FUZZING else 10


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    make_victim(tmp_path / "victim")
    return tmp_path / "victim"


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary folders."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


@pytest.mark.timeout(3600)
def test_nothing_outside_is_touched(tmp_path: Path, victim: Path, left: Path) -> None:
    judge_and_end = swapping_checker(tmp_path / "t")
    for number in range(ROUNDS):
        judge_and_end(victim)
        assert is_untouched(victim), f"round {number}"
        assert list(left.iterdir()) == []


@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("ignore:the temporary folder:RuntimeWarning")
def test_even_without_waiting_for_its_end_nothing_is_touched(
    tmp_path: Path, victim: Path, left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other half of the defence: folders are removed while they are swapped."""
    judge_and_end = swapping_checker(tmp_path / "t")
    started: list[Started] = []
    waits = Started.wait

    def wait(process: Started) -> None:
        assert process.group is not None
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.group, signal.SIGKILL)
        started.append(process)

    for number in range(ROUNDS):
        with monkeypatch.context() as patch:
            patch.setattr(Started, "wait", wait)
            patch.setattr(Started, "has_all_ended", True)
            judge_and_end(victim)
        waits(started.pop())
        assert is_untouched(victim), f"round {number}"
