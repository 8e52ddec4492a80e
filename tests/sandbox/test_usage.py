"""What the processes of a sandbox take is counted, within bounds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.unprivileged import run_unprivileged

from lve.sandbox import usage, watch
from lve.sandbox.usage import Count, Space, UncountableError, memory_of, processes_below
from lve.sandbox.watch import Watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
MUCH = Space(10**9, 1000)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def counted(folder: int, most: Space = MUCH) -> Count:
    count = Count(most)
    count.add_folder(folder)
    return count


def test_counting_ends_with_the_limit(tmp_path: Path, folder: int) -> None:
    for name in range(20):
        (tmp_path / str(name)).mkdir()
        (tmp_path / str(name) / "file").write_bytes(b"x" * 5000)
    assert not counted(folder, Space(10**9, 40)).is_exceeded
    assert counted(folder, Space(10**9, 39)).is_exceeded
    assert counted(folder, Space(100_000, 100)).is_exceeded


def test_links_lead_nowhere(tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "to").symlink_to("/usr")
    (tmp_path / "folder").mkdir()
    assert not counted(folder, Space(10**9, 2)).is_exceeded
    real = os.open

    def swapping(path: str, *args: int, dir_fd: int) -> int:
        if path == "folder":
            (tmp_path / "folder").rmdir()
            (tmp_path / "folder").symlink_to("/usr")
        return real(path, *args, dir_fd=dir_fd)

    monkeypatch.setattr(usage.os, "open", swapping)
    assert not counted(folder, Space(10**9, 2)).is_exceeded
    assert (tmp_path / "folder").is_symlink()


def test_what_is_too_deep_or_takes_too_long_can_not_be_counted(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "/".join("d" * 100)).mkdir(parents=True)
    counted(folder)
    (tmp_path / "/".join("d" * 101)).mkdir()
    with pytest.raises(UncountableError):
        counted(folder)
    monkeypatch.setattr(usage, "MAX_DEPTH", 200)
    counted(folder)
    monkeypatch.setattr(usage, "COUNT_S", -1)
    with pytest.raises(UncountableError):
        counted(folder)


LOCKED = """
import os
from lve.sandbox.usage import Count, Space, UncountableError
os.mkdir("locked", 0o300)
try:
    Count(Space(1, 1000)).add_folder(os.open(".", os.O_RDONLY))
except UncountableError:
    print("can't be counted")
"""


def test_a_folder_that_can_not_be_read_can_not_be_counted(tmp_path: Path) -> None:
    (tmp_path / "locked_folder.py").write_text(LOCKED.replace("Space(1,", "Space(10**9,"))
    assert run_unprivileged("locked_folder", cwd=tmp_path).stdout == "can't be counted\n"


FAMILY = """
import os, sys, time
parts = [] if os.fork() else [b"x" * 50_000_000]
if not parts:
    parts = [os.fork()]
print(os.getpid(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process with two children, of which one takes memory."""
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        for _ in range(3):
            parent.stdout.readline()
        yield parent.pid
        os.killpg(parent.pid, signal.SIGKILL)


def test_processes_and_their_memory_are_counted(family: int) -> None:
    below = processes_below(family, 100)
    assert len(below) == 2
    assert sorted([family, *below]) == sorted(usage.processes_of_session(family))
    assert len(processes_below(family, 0)) >= 1
    assert 50_000_000 < memory_of([family, *below], 10**9) < 200_000_000
    # What they share counts once if they may take too much.
    assert 50_000_000 < memory_of([family, *below], 1) < memory_of([family, *below], 10**9)
    assert usage.number_of_threads([family, *below]) == 3


def test_what_has_ended_takes_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    count = Count(MUCH)
    assert count.add_nameless_files([gone.pid], "/tmp") == set()
    assert (memory_of([gone.pid], 0), processes_below(gone.pid, 10)) == (0, [])


def test_a_zombie_hides_nothing(family: int) -> None:
    child = processes_below(family, 100)[-1]
    os.kill(child, signal.SIGKILL)
    time.sleep(0.1)
    assert Count(MUCH).add_nameless_files([child], "/tmp") == set()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_code_is_stopped_for_a_count_if_the_disk_lost_what_was_not_counted(
    family: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Watch()
    states: list[str] = []

    def count(pids: list[int]) -> bool:
        states.append(state(family))
        return len(states) == 4

    monkeypatch.setattr(one, "_exceeds_count", count)
    monkeypatch.setattr(watch, "COUNT_S", 0.0)
    assert one.exceeded_limit(family, family) is None
    assert states == ["S"], "the disk has lost nothing"
    space = watch._free(one._handle)
    assert space is not None
    one._free = Space(space.size + watch.MAX_FOLDER_BYTES + 10**9, space.files)
    assert one.exceeded_limit(family, family) is None
    assert states == ["S", "S", "T"]
    assert state(family) != "T", "it goes on"
    assert "filled its temporary folder" in str(one.exceeded_limit(family, family))
    one.close()


def test_a_crowd_is_stopped_for_a_count_at_once_and_for_good_if_it_is_too_large(
    family: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Watch()
    states: list[str] = []

    def count(pids: list[int]) -> bool:
        states.append(state(family))
        return False

    monkeypatch.setattr(one, "_exceeds_count", count)
    monkeypatch.setattr(watch, "_running", lambda: one._running + watch._CROWD + 1)
    assert one.exceeded_limit(family, family) is None
    assert states == [], "others' processes are no reason to count before it is time"
    monkeypatch.setattr(watch, "FEW", 1)
    assert one.exceeded_limit(family, family) is None
    assert states == ["T"]
    assert state(family) != "T", "it goes on"
    monkeypatch.setattr(watch, "MAX_PROCESSES", 1)
    assert one.exceeded_limit(family, family) == "started more than 1 processes"
    assert state(family) == "T", "until it is killed"
    one.close()


def test_who_can_not_be_looked_at_is_told(family: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Count, "_add_mapped", refuse)
    assert Count(MUCH).add_nameless_files([family], "/tmp") == {family}


def test_only_who_hides_for_longer_is_suspicious(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends can't be looked at for a moment."""
    one = Watch()
    unseen = iter([{1, 2}, {3}, {3}])
    monkeypatch.setattr(Count, "add_nameless_files", lambda *_: next(unseen))
    assert [one._exceeds_count([]) for _ in range(3)] == [False, False, True]
    one.close()
