"""A run on Ray from Python happens in a child: what it returns, raises and warns of arrives here,
and its end is an error, not the caller's end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SessionError, UsageError
from lve.extensions.ray import driver, python_driver
from lve.extensions.ray.python_driver import Execute, Warn, result_of_child
from lve.pipeline.result import RunResult
from lve.verdicts.summary import Summary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux ends and adopts processes")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "EXIT_S", 0.5)
    monkeypatch.setattr(driver, "REST_S", 0.5)
    monkeypatch.setattr(python_driver, "GRACE_S", 0.2)


def outcome(execute: Execute, warnings: list[str] | None = None) -> RunResult:
    told = [] if warnings is None else warnings
    return asyncio.run(result_of_child(execute, told.append))


def test_the_result_comes_from_another_process_with_its_warnings(tmp_path: Path) -> None:
    async def execute(warn: Warn) -> RunResult:
        warn("one")
        warn(f"{os.getpid()}")
        return RunResult(Summary(), "complete", requests=7)

    warnings: list[str] = []
    result = outcome(execute, warnings)
    assert (result.requests, result.status, warnings[0]) == (7, "complete", "one")
    assert int(warnings[1]) != os.getpid()


def test_an_error_of_the_run_is_raised_here() -> None:
    async def execute(warn: Warn) -> RunResult:
        raise UsageError("no such cluster", code="ray")

    with pytest.raises(UsageError, match="no such cluster") as caught:
        outcome(execute)
    assert caught.value.code == "ray"


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (lambda: os._exit(1), "Ray has ended the run, because its raylet or an agent died"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "the tests on Ray was killed"),
    ],
    ids=["Ray ends it", "it is killed"],
)
def test_the_end_of_the_child_is_an_error(end: Any, says: str) -> None:
    async def execute(warn: Warn) -> RunResult:
        end()
        raise AssertionError

    mine = subprocess.Popen(["sleep", "99"])
    with pytest.raises(SessionError, match=says):
        outcome(execute)
    assert mine.poll() is None, "what the caller has started goes on"
    mine.kill()
    mine.wait()


def test_what_is_cancelled_ends_in_the_child(tmp_path: Path) -> None:
    started, ended = tmp_path / "started", tmp_path / "ended"

    async def execute(warn: Warn) -> RunResult:
        started.touch()
        try:
            await asyncio.sleep(99)
        finally:
            ended.touch()
        raise AssertionError

    async def cancelled() -> None:
        running = asyncio.ensure_future(result_of_child(execute, print))
        while not started.exists():  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.01)
        running.cancel()
        await running

    begun = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert ended.exists()
    assert time.monotonic() - begun < 30
