"""Runs at the same time in one workspace: none pays for what another one asks for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.folders import write_test
from support.forked import python
from support.server import ModelServer, model_server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
ROWS, WIDTH = 120, 4


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ModelServer]:
    write_test(
        tmp_path / "t",
        model="m",
        prompt=[{"content": "Compute {a}"}],
        prompt_parameters=["a"],
        check={"contains": "Paris"},
        checker_args=None,
        instances=[{"args": {"a": str(number)}} for number in range(ROWS)],
    )
    with model_server("Paris", latency_s=0.1) as server:
        settings = {"models": {"m": {"base_url": server.url, "model": "m"}}}
        (tmp_path / "lve.yaml").write_text(json.dumps(settings))
        yield server


@contextmanager
def runs(folder: Path, *options: Sequence[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Start a run with each of the options."""
    processes = [
        subprocess.Popen(
            [*python(), "-m", "lve", "run", "t", f"-j{WIDTH}", "--json", *more],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for more in options
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def passed(process: subprocess.Popen[str]) -> int:
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, out + err
    assert err == "" or "claim" not in err
    return int(json.loads(out)["summary"]["instances"]["passed"])


def wait_for(server: ModelServer, requests: int) -> None:
    end = time.monotonic() + 60
    while len(server.requests) < requests:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_three_runs_pay_for_each_answer_once(tmp_path: Path, server: ModelServer) -> None:
    with runs(tmp_path, (), (), ()) as processes:
        assert [passed(process) for process in processes] == [ROWS] * 3
    assert len(server.requests) == ROWS


def test_one_that_comes_later_waits_for_what_is_under_way(
    tmp_path: Path, server: ModelServer
) -> None:
    with runs(tmp_path, ()) as (first,):
        wait_for(server, 3 * WIDTH)
        with runs(tmp_path, ()) as (second,):
            assert (passed(first), passed(second)) == (ROWS, ROWS)
    assert len(server.requests) == ROWS


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_what_a_killed_or_stopped_run_has_claimed_is_asked_for_by_others(
    tmp_path: Path, server: ModelServer, how: str
) -> None:
    with runs(tmp_path, ()) as (first,):
        wait_for(server, 2 * WIDTH)
        first.send_signal(getattr(signal, how))
        started = time.monotonic()
        with runs(tmp_path, (), ()) as others:
            assert [passed(process) for process in others] == [ROWS] * 2
    assert time.monotonic() - started < 60
    assert len(server.requests) <= ROWS + 3 * WIDTH


def test_what_a_run_that_reads_no_cache_asks_for_is_waited_for(
    tmp_path: Path, server: ModelServer
) -> None:
    with runs(tmp_path, ("--refresh",)) as (first,):
        wait_for(server, WIDTH)
        with runs(tmp_path, ()) as (second,):
            assert (passed(first), passed(second)) == (ROWS, ROWS)
    assert ROWS < len(server.requests) <= 2 * ROWS - WIDTH


def test_a_run_alone_claims_nothing(tmp_path: Path, server: ModelServer) -> None:
    with runs(tmp_path, ()) as (process,):
        assert passed(process) == ROWS
    assert (tmp_path / ".lve" / "cache.db-users").stat().st_size == 0
