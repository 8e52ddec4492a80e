"""The temporary folder of a sandbox."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from lve.sandbox import watch
from lve.sandbox.usage import Space
from lve.sandbox.watch import Watch


def test_whatever_is_in_it_is_removed_and_nothing_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o750)
    (outside / "kept").touch()
    one = Watch()
    folder = Path(one.folder)
    (folder / "to").symlink_to(outside)
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "to").symlink_to(outside)
    (folder / "a" / "file").touch()
    (folder / "a" / "b").chmod(0)
    one.close()
    one.close()
    assert not folder.exists()
    assert [file.name for file in outside.iterdir()] == ["kept"]
    assert outside.stat().st_mode & 0o777 == 0o750


def test_folders_deeper_than_a_path_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    monkeypatch.chdir(one.folder)
    for _ in range(1200):
        os.mkdir("deep")  # noqa: PTH102
        os.chdir("deep")
    monkeypatch.undo()
    one.close()
    assert not Path(one.folder).exists()


@pytest.mark.parametrize("obstacle", ["something still writes", "nothing can be removed"])
def test_a_folder_that_stays_is_told(monkeypatch: pytest.MonkeyPatch, obstacle: str) -> None:
    one = Watch()
    has_ended = obstacle == "nothing can be removed"
    with monkeypatch.context() as patch:
        if has_ended:
            patch.setattr(watch, "remove_held", lambda handle, folder: False)
        with pytest.warns(RuntimeWarning) as warned:
            one.close(remove=has_ended)
    [warning] = warned
    assert str(warning.message) == (
        f"the temporary folder {one.folder} of a test's code can't be removed now"
    )
    assert Path(one.folder).is_dir()
    Path(one.folder).rmdir()
    one.close()  # a second time: nothing is told


def test_a_fork_of_lve_leaves_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    owner = os.getpid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: owner + 1)
        one.close()
    assert Path(one.folder).is_dir()
    one.close()


def test_what_is_below_the_limits_is_no_excess(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    (Path(one.folder) / "some").write_bytes(b"x" * 1_000_000)
    assert one.exceeded_limit(0, None) is None
    monkeypatch.setattr(watch, "MAX_FOLDER_BYTES", 500_000)
    assert one.exceeded_limit(0, None) is None, "it isn't counted each time"
    monkeypatch.setattr(watch, "COUNT_S", 0.0)
    assert "filled its temporary folder" in str(one.exceeded_limit(0, None))
    one.close()


class System:
    """What the system tells, and which signals were sent; each number is set by a test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processes = self.threads = self.memory = self.running = 0
        self.lost = self.files_lost = 0
        self.signals: list[signal.Signals] = []
        monkeypatch.setattr(watch, "COUNT_S", 0.0)
        monkeypatch.setattr(watch, "_STOP_S", 0.0)
        monkeypatch.setattr(watch, "_running", lambda: self.running)
        monkeypatch.setattr(watch, "processes_below", lambda parent, most: [*range(self.processes)])
        monkeypatch.setattr(watch, "processes_of_session", lambda group: [])
        monkeypatch.setattr(watch, "number_of_threads", lambda pids: self.threads)
        monkeypatch.setattr(watch, "memory_of", lambda pids, most: self.memory)
        monkeypatch.setattr(watch, "_free", lambda handle: Space(-self.lost, -self.files_lost))
        monkeypatch.setattr(watch, "Count", NoFiles)
        monkeypatch.setattr(watch.os, "killpg", lambda group, number: self.signals.append(number))


class NoFiles:
    """A count of nothing."""

    is_exceeded = False

    def __init__(self, most: Space) -> None:
        pass

    def add_folder(self, handle: int) -> None:
        pass

    def add_nameless_files(self, pids: list[int], folder: str) -> set[int]:
        return set()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the processes")
@pytest.mark.parametrize(
    ("name", "value", "excess", "signals"),
    [
        ("processes", watch.FEW, None, []),
        ("processes", watch.FEW + 1, None, [signal.SIGSTOP, signal.SIGCONT]),
        ("processes", watch.MAX_PROCESSES, None, [signal.SIGSTOP, signal.SIGCONT]),
        ("processes", watch.MAX_PROCESSES + 1, "more than 500 processes", [signal.SIGSTOP]),
        ("threads", watch.MAX_THREADS, None, []),
        ("threads", watch.MAX_THREADS + 1, "more than 5,000 threads", []),
        ("memory", 2000, None, []),
        ("memory", 2001, "more than 2e-06 GB of memory", []),
        ("lost", watch.MAX_FOLDER_BYTES, None, []),
        ("lost", watch.MAX_FOLDER_BYTES + 1, None, [signal.SIGSTOP, signal.SIGCONT]),
        ("files_lost", watch.MAX_FILES, None, []),
        ("files_lost", watch.MAX_FILES + 1, None, [signal.SIGSTOP, signal.SIGCONT]),
    ],
)
def test_each_limit(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int, excess: str | None, signals: list[int]
) -> None:
    system = System(monkeypatch)
    one = Watch(memory_bytes=1000)
    setattr(system, name, value)
    found = one.exceeded_limit(1, 2)
    assert (excess or "None") in str(found)
    assert system.signals == signals
    system.signals.clear()
    unknown = one.exceeded_limit(1, None)  # nothing is stopped as long as there is no group
    assert system.signals == []
    assert (unknown is not None) == (name in ("threads", "memory") and excess is not None)
    one.close()


def test_nothing_is_limited_whose_limit_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch)
    one = Watch()
    system.memory = 10**12
    assert one.exceeded_limit(1, 2) is None
    one.close()
