"""A model that fails for all instances alike: few requests, one cause, and resumed in full."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_sums
from support.openai_answers import Received, sum_or_echo
from support.server import model_server

MANY = 300


def refusing(status: int) -> Callable[[Received], Any]:
    return lambda request: status


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_everything_is_asked_for_a_few_times(root: Path, status: int) -> None:
    write_sums(root / "t", MANY)
    with model_server(refusing(status)) as server:
        at = ["--model", "openai/test", "--base-url", server.url, "-j", "8"]
        code, out, _ = call("run", "t", *at, "--json")
        assert code == 3
        kinds = json.loads(out)["summary"]["error_kinds"]
        assert kinds.pop("not_asked") == MANY - 5
        assert sum(kinds.values()) == len(server.requests) == 5
        server.behaviour.answer = sum_or_echo
        code, out, _ = call("run", "--resume", *at[2:4], "--json")
    assert code == 0
    assert json.loads(out)["summary"]["instances"]["passed"] == MANY


@pytest.mark.parametrize("key", ["sk-of-the-user", None])
def test_a_server_is_asked_once_before_it_is_asked_often(
    root: Path, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    write_sums(root / "t", 9)
    times: list[float] = []

    def answered(received: Received) -> Any:
        times.append(time.monotonic())
        return sum_or_echo(received)

    with model_server(answered, latency_s=0.5) as server:
        at = ["--model", "openai/test", "--base-url", server.url, "-j", "8"]
        lve("run", "t", *at)
    assert times[1] - times[0] >= 0.4
    assert times[7] - times[1] < 0.4, "the others go together"


def test_the_other_models_go_on(root: Path) -> None:
    write_sums(root / "t", MANY)
    with model_server(lambda r: 401 if "bad" in str(r.json["model"]) else sum_or_echo(r)) as server:
        models = ["--model", "openai/bad", "--model", "openai/good"]
        code, out, _ = call("run", "t", *models, "--base-url", server.url, "--json")
    counts = json.loads(out)["summary"]["instances"]
    assert code == 3
    assert (counts["passed"], counts["error"]) == (MANY, MANY)


def test_a_server_that_is_not_there_is_given_up_soon_and_named(root: Path) -> None:
    write_sums(root / "t", MANY)
    with model_server() as server:
        pass
    result = lve("run", "t", "--model", "openai/test", "--base-url", server.url, code=3)
    assert f"{server.url}: connection refused" in result.stdout
    assert "errors: 299 not_asked, 1 unreachable" in result.stdout


def test_a_key_that_is_revoked_halfway_ends_the_rest(root: Path) -> None:
    write_sums(root / "t", MANY)
    with model_server(lambda r: sum_or_echo(r) if len(server.requests) <= 100 else 401) as server:
        lve("run", "t", "--model", "openai/test", "--base-url", server.url, "-j", "4", code=3)
        assert 100 < len(server.requests) <= 100 + 5 + 4
