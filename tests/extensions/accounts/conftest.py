"""A server for the tests of logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.openai_answers import Raw, Received
from support.openai_protocol import http
from support.server import ModelServer, model_server

BUSY = json.dumps({"error": {"message": "slow down"}}).encode()


@pytest.fixture
def server(root: Path) -> Iterator[ModelServer]:
    """A server that is busy at first, and then says Hello."""
    times = iter(range(1000))

    def answer(request: Received) -> object:
        return Raw(http(429, BUSY, "Retry-After: 0\r\n")) if next(times) == 0 else "Hello"

    with model_server(answer) as made:
        model = {"base_url": made.url, "model": "m", "price": {"input": 1, "output": 2}}
        settings = {"models": {"m": {**model, "args": {"top_p": 0.5}}}, "model": "m"}
        workspace(root, json.dumps(settings))
        write_test(root / "t", model=None, default_model_args={"seed": 1})
        yield made


@pytest.fixture
def traced(root: Path) -> Callable[..., str]:
    """Returns the log of a run of the test `t` with some options."""

    def log(*options: str) -> str:
        assert call("run", "t", "--trace", "log.txt", *options)[0] == 0
        return (root / "log.txt").read_text(encoding="utf-8")

    return log
