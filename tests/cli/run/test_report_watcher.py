"""What a terminal shows while a run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from support.folders import workspace, write_sums
from support.forked import python
from support.server import model_server

from lve.cli.run.progress import ERASE_LINE, describe_progress, facts_of
from lve.cli.run.report_watcher import ReportWatcher
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.execution.traffic import Traffic
from lve.options.run_options import RunOptions
from lve.settings.settings import Settings
from lve.verdicts.summary import Summary


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
@pytest.mark.parametrize("verb", ["run", "record"])
def test_a_warning_has_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("TERM", "xterm")
    # The warning comes with the last row, when the line has been drawn several times.
    write_sums(workspace(tmp_path, "caps: {rows: 20}\n") / "t", 21)
    with model_server(latency_s=0.05) as server:
        args = [verb, "t", "--model", "openai/test", "-j", "1", "--base-url", server.url]
        shown = on_a_terminal(tmp_path, args, stdout=False)
    before, told, _ = shown.partition("lve: warning: t: ends after row 20")
    assert told, shown
    assert "in flight" in before or "\u2191" in before
    assert before.endswith((ERASE_LINE, "\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
@pytest.mark.parametrize("option", ["-v", "--jsonl"])
def test_an_instance_has_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("TERM", "xterm")
    write_sums(workspace(tmp_path) / "t", 20)
    with model_server(latency_s=0.05) as server:
        args = ["run", "t", option, "--model", "openai/test", "-j", "1", "--base-url", server.url]
        shown = on_a_terminal(tmp_path, args)
    after = [part[: len(ERASE_LINE)] for part in shown.split("1 in flight")[1:]]
    assert set(after) == {ERASE_LINE}, shown


def on_a_terminal(folder: Path, args: list[str], *, stdout: bool = True) -> str:
    """Return what `lve ARGS` writes to a terminal that is its stderr, and its stdout."""
    import pty

    terminal, its_end = pty.openpty()
    command = [*python(), "-m", "lve", *args]
    out = its_end if stdout else subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdout=out, stderr=its_end):
        os.close(its_end)
        shown = b""
        while chunk := read(terminal):
            shown += chunk
    os.close(terminal)
    return shown.decode()


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux's way to say that nobody writes any more
        return b""


def test_a_log_gets_progress_and_the_count_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What there is to do is counted in a thread, which can take longer than the run itself."""
    monkeypatch.setattr("lve.cli.run.report_watcher.PLAIN_AFTER_S", -1.0)
    monkeypatch.setattr("lve.cli.run.progress.PLAIN_INTERVAL_S", 0.0)
    counted = Event()
    slow = SimpleNamespace(values=lambda: iter(counted.wait, True))
    models = SimpleNamespace(completers={})
    engine = SimpleNamespace(models=models, options=RunOptions(), settings=Settings())
    session: Any = SimpleNamespace(summary=Summary(), engine=engine, previous=None, test_runs=slow)
    reporter: Any = None
    watcher = ReportWatcher(reporter, reports_earlier=False, shows_progress=True)
    before = {*threading.enumerate()}
    watcher.on_start(session)
    watcher.on_tick()
    watcher.on_tick()
    (counting,) = {*threading.enumerate()} - before
    counted.set()
    counting.join()
    assert counting.daemon
    assert capsys.readouterr().err.startswith("lve: 0 done · ")


def test_progress_names_the_address_and_why_it_cannot_be_reached() -> None:
    completer = SimpleNamespace(
        traffic=Traffic(waiting_for_retry=7, last_failure="http://h:1/v1: connection\nrefused"),
        limits=ModelLimits(stop_signal=StopSignal(), clock=lambda: 0.0, max_connections=8),
    )
    engine: Any = SimpleNamespace(models=SimpleNamespace(completers={"m": completer}))
    session: Any = SimpleNamespace(summary=Summary(), engine=engine)
    facts = facts_of(session, 300)
    assert "7 wait: http://h:1/v1: connection refused" in describe_progress(facts, 0.0)


def test_progress_adds_up_what_the_models_used() -> None:
    def completer(cost: float) -> SimpleNamespace:
        limits = ModelLimits(stop_signal=StopSignal(), clock=lambda: 0.0, max_connections=8)
        traffic = Traffic(prompt_tokens=100, completion_tokens=20, cost=cost)
        return SimpleNamespace(traffic=traffic, limits=limits)

    engine: Any = SimpleNamespace(
        models=SimpleNamespace(completers={"m": completer(0.5), "n": completer(0.25)})
    )
    session: Any = SimpleNamespace(summary=Summary(), engine=engine)
    shown = describe_progress(facts_of(session, 300), 0.0)
    assert " · 240 tokens · $0.7500 · 0 in flight" in shown
