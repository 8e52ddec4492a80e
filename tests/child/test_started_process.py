"""Started processes: what is known of their end, and that nothing of them stays open."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from lve.child.started_process import Started

PLAIN = """
import os, signal, sys, time
def main(lifeline):
    print(lifeline >= 0, flush=True)
    line = sys.stdin.readline()
    if line == "exit\\n":
        os._exit(5)
    if line == "told\\n":
        os.write(lifeline, b"box 4711\\n" + b"ended -6\\n" * 3)
        os._exit(0)
    if line == "flood\\n":
        while True:
            os.write(lifeline, b"box 1\\n" * 1000)
    time.sleep(600)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has supervisors")


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain_child.py").write_text(PLAIN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def begun(line: str = "", *, supervised: bool) -> Started:
    """Return a process that has begun, and has read a line."""
    started = Started("plain_child", os.environ, supervised=supervised)
    assert started.process.stdout is not None
    assert started.process.stdin is not None
    assert started.process.stdout.readline() == b"True\n"
    started.process.stdin.write(line.encode())
    started.process.stdin.flush()
    return started


def closed(started: Started) -> Started:
    for pipe in (started.process.stdin, started.process.stdout, started.process.stderr):
        assert pipe is not None
        pipe.close()
    return started


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def test_without_a_supervisor_the_process_is_all_that_there_is() -> None:
    started = begun(supervised=False)
    assert started.group == started.process.pid
    started.kill()
    started.wait()
    assert (closed(started).exit_code, started.has_all_ended) == (-signal.SIGKILL, True)
    started.kill()  # whoever has its number by now


def test_its_own_exit_code_is_waited_for() -> None:
    started = begun("exit\n", supervised=False)
    started.wait_by_itself(30)
    started.kill()
    started.wait()
    assert closed(started).exit_code == 5


@linux
def test_what_the_supervisor_tells_is_what_counts() -> None:
    started = begun("told\n", supervised=True)
    started.wait_by_itself(30)
    started.wait()
    assert closed(started).group == 4711
    assert (started.exit_code, started.has_all_ended) == (-6, True)


@linux
def test_before_there_is_a_box_nothing_but_the_process_has_to_end() -> None:
    started = begun(supervised=True)
    assert (started.group, started.has_all_ended) == (None, False)
    started.kill()
    started.wait()
    assert closed(started).has_all_ended
    assert started.exit_code == -signal.SIGTERM


@linux
def test_reports_are_bounded() -> None:
    started = begun("flood\n", supervised=True)
    started.wait_by_itself(30)
    assert started.group == 1
    started.kill()
    started.wait()
    assert not closed(started).has_all_ended


@linux
def test_asking_for_the_group_never_waits() -> None:
    started = begun(supervised=True)
    waiting = threading.Thread(target=started.wait_by_itself, args=(20,))
    waiting.start()
    try:
        assert started.group is None
        assert waiting.is_alive()
    finally:
        started.kill()
        waiting.join(20)
        started.wait()
        closed(started)


@linux
@pytest.mark.parametrize("supervised", [True, False])
def test_nothing_stays_open(supervised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    started = begun(supervised=supervised)
    started.kill()
    started.wait()
    closed(started)
    assert open_files() == before
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(FileNotFoundError):
        Started("plain_child", os.environ, supervised=supervised)
    assert open_files() == before
