"""Connections fit the files that a process may open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import write_sums
from support.server import model_server

from lve.execution.descriptors import RESERVED, connections_left, why_fewer

resource = pytest.importorskip("resource")


@pytest.fixture
def limit() -> int:
    """How many files this process may open."""
    return int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def test_what_fits_is_left_alone() -> None:
    assert connections_left(8, 0) == 8


def test_more_than_fits_is_cut_by_what_is_open_and_planned(limit: int) -> None:
    if limit == resource.RLIM_INFINITY:
        pytest.skip("no limit here")
    left = connections_left(limit, 0)
    assert 1 <= left <= limit - RESERVED
    assert connections_left(limit, 10) in range(max(1, left - 12), left)
    assert connections_left(limit, limit) == 1


@pytest.mark.parametrize("limit", [64, 180])
def test_a_run_keeps_within_the_files_that_it_may_open(root: Path, limit: int) -> None:
    write_sums(root / "t", 150)
    with model_server(latency_s=0.05) as server:
        command = [sys.executable, "-m", "lve", "run", "t", "--model", "openai/m", "-j", "5000"]
        done = subprocess.run(
            ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *command, "--base-url", server.url],
            capture_output=True,
            text=True,
            check=False,
        )
        assert len(server.requests) == 150
    assert done.returncode == 0, done.stdout + done.stderr
    assert " at once, not 5,000" in done.stderr


def test_one_connection_is_one_request() -> None:
    assert why_fewer("m", 1, 5000).startswith("m: 1 request at once, not 5,000: ")
