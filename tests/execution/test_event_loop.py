"""The event loop of a run: uvloop's if it is installed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.command_line import lve as command_line
from support.folders import write_sums

import lve
from lve.execution.event_loop import run_in_loop


async def _kind_of_loop() -> str:
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def test_without_uvloop_the_loop_is_that_of_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run_in_loop(_kind_of_loop()) == "asyncio"


def test_uvloop_runs_a_session_if_it_is_installed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        runs.append(work.__qualname__)
        return asyncio.run(work)

    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(run=run))
    write_sums(root / "t", 2)
    assert lve.run(root / "t", model="replay").status == "complete"
    assert len(runs) == 1


def test_a_session_runs_in_the_real_uvloop(root: Path) -> None:
    pytest.importorskip("uvloop")
    assert run_in_loop(_kind_of_loop()) == "uvloop"
    write_sums(root / "t", 300)
    assert lve.run(root / "t", model="replay").status == "complete"


def test_the_command_runs_in_it_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        runs.append(work.__qualname__)
        return asyncio.run(work)

    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(run=run))
    write_sums(root / "t", 2)
    command_line("run", "t", "--model", "replay")
    assert runs == ["under_watchdog"]
