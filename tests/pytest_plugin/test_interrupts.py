"""pytest that is interrupted while requests are under way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import forked
from support.pytest_runs import against, sessions, verdicts
from support.server import PATIENCE_S, model_server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
Write = Callable[..., Path]
WAITING = "waiting for pending requests"


@contextmanager
def started(
    pytester: pytest.Pytester, *args: str, python: Sequence[str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run pytest in a process group of its own: a terminal's Ctrl-C goes to all of a group."""
    python = python or forked.python()
    with subprocess.Popen(
        [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupt(process: subprocess.Popen[str], kind: int = signal.SIGINT) -> None:
    os.killpg(process.pid, kind)


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Return what a process says up to some words. If it doesn't say them in time, it is made to
    say where all its threads are, and the test fails with that."""
    assert process.stdout is not None
    said = ""
    timer = threading.Timer(PATIENCE_S, process.send_signal, (signal.SIGABRT,))
    timer.start()
    try:
        while words not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
    finally:
        timer.cancel()
    return said


def test_one_interrupt_tells_what_it_waits_for(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True)] * 30)
    with (
        model_server("Paris", hold_until=5) as server,
        started(pytester, *against(server.url, "--lve-max-connections=4")) as process,
    ):
        server.wait_for(4)
        interrupt(process)
        said = read_until(process, f"lve: interrupted: {WAITING} (Ctrl-C again to stop now)")
        server.release()
        said += process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert len(server.requests) == 4
    (session,) = sessions(pytester)
    assert len(verdicts(pytester, session["session"])) == 4


@pytest.mark.parametrize("more", [1, 3])
def test_two_interrupts_stop_now(pytester: pytest.Pytester, write_test: Write, more: int) -> None:
    write_test("a", [("Paris", True)] * 30)
    with (
        model_server("Paris", latency_s=0.02, quick=9) as server,
        started(pytester, *against(server.url, "--lve-max-connections=4")) as process,
    ):
        server.wait_for(9 + 4)
        interrupt(process)
        said = read_until(process, WAITING)
        for _ in range(more):
            interrupt(process)
        said += process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert "Traceback" not in said
    assert "lve: session" in said
    (session,) = sessions(pytester)
    assert session["status"] == "interrupted"
    assert len(verdicts(pytester, session["session"])) >= 5


@pytest.mark.parametrize("goes_to", ["all", "controller"])
def test_interrupted_workers_leave_one_session(
    pytester: pytest.Pytester, write_test: Write, goes_to: str
) -> None:
    write_test("a", [("Paris", True)] * 30)
    """Those that all get it are started: workers that are forked belong to another group."""
    args = "--lve-max-connections=4", "-n2" if goes_to == "all" else "-n1"
    python = (sys.executable, "-u") if goes_to == "all" else None
    with (
        model_server("Paris", latency_s=0.02, quick=9) as server,
        started(pytester, *against(server.url, *args), python=python) as process,
    ):
        server.wait_for(9 + 4)
        stop = interrupt if goes_to == "all" else subprocess.Popen.send_signal
        stop(process, signal.SIGINT)
        said = read_until(process, WAITING)
        stop(process, signal.SIGINT)
        said += process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert "Traceback" not in said
    assert "lve: session" in said
    (session,) = sessions(pytester)
    assert session["status"] == "interrupted"
    assert session["paths"]
    assert len(verdicts(pytester, session["session"])) >= 5


def test_an_interrupt_of_the_wait_after_the_last_item(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True)] * 30)
    with model_server("Lyon", latency_s=0.02, quick=4) as server:
        args = against(server.url, "--lve-max-connections=4", "-x")
        with started(pytester, *args) as process:
            server.wait_for(4 + 1)
            said = read_until(process, f"lve: {WAITING} (Ctrl-C to stop now)")
            interrupt(process)
            said += process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert "Traceback" not in said
