"""What a session costs when its process is killed again and again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_sums
from support.killing import kill_when_asked
from support.server import model_server

PRICE = 0.01
"""Dollars of a request, by the settings and the server."""
SETTINGS = "models: {openai/m: {price: {input: 0, output: 10000}}}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_budget_holds_however_often_the_process_is_killed(root: Path) -> None:
    (root / "lve.yaml").write_text(SETTINGS)
    write_sums(root / "t", 200)
    at = ["--model-arg", "max_tokens=1", "--no-cache", "-j", "8"]
    with model_server("1", latency_s=0.02) as server:
        where = ["--base-url", server.url]
        first = ["t", "--model", "openai/m", *where, *at, "--max-cost", "0.8"]
        kill_when_asked(first, server, 20)
        for _ in range(2):
            kill_when_asked(["--resume", *where], server, 15)
        code, out, _ = call("run", "--resume", *where, "--json")
        billed = len(server.requests) * PRICE
    assert code == 6
    assert 0.5 < billed <= 0.8 + 1e-9
    assert billed - 1e-9 <= json.loads(out)["summary"]["cost"] <= 0.8 + 1e-9


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_resumed_session_costs_what_all_its_runs_have_paid(root: Path) -> None:
    (root / "lve.yaml").write_text(SETTINGS)
    write_sums(root / "t", 100)
    with model_server("1", latency_s=0.01) as server:
        where = ["--base-url", server.url]
        at = ["--model-arg", "max_tokens=1", "-j", "4"]
        kill_when_asked(["t", "--model", "openai/m", *where, *at], server, 40)
        code, out, _ = call("run", "--resume", *where, "--json")
        billed = len(server.requests) * PRICE
    assert code == 1
    # Missing may be the four under way, and as many that were not on the disk yet.
    assert json.loads(out)["summary"]["cost"] == pytest.approx(billed, abs=8.5 * PRICE)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_every_request_counts_without_a_budget_or_prices(root: Path) -> None:
    write_sums(root / "t", 60)
    with model_server("1", latency_s=0.05) as server:
        where = ["--base-url", server.url]
        kill_when_asked(["t", "-m", "openai/m", *where, "-j", "8", "--no-cache"], server, 20)
        for _ in range(2):
            kill_when_asked(["--resume", *where], server, 10)
        call("run", "--resume", *where, "--json")
        served = len(server.requests)
    (file,) = root.glob(".lve/runs/*/session.json")
    spent = json.loads(file.read_text(encoding="utf-8"))["spent"]["requests"]
    assert 40 < served <= spent <= served + 3 * 8, "those that were counted, and not sent any more"
    assert not list(root.glob(".lve/runs/*/spent*"))
