"""`lve run --batch` with Claude models."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from extensions.batch.anthropic_batches import MessageBatches, errored, says
from support.command_line import call
from support.folders import write_test
from support.killing import KilledRun
from support.packages import needs
from support.server import Raw, Received, model_server

from lve.errors import ModelError, UsageError
from lve.extensions.batch.anthropic import AnthropicBatches
from lve.extensions.batch.api import BatchModel
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

pytestmark = needs("anthropic")
NAME = "anthropic/claude-haiku-4-5"
KEY = "sk-ant-of-this-test-0123456789"
ROWS = [{"args": {"n": n}} for n in range(3)]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@contextmanager
def serving(batches: MessageBatches) -> Iterator[None]:
    with model_server(418, serve=batches.serve) as server, patch.dict(os.environ):
        os.environ["ANTHROPIC_BASE_URL"] = server.url
        yield


def prompt_of(params: dict[str, Any]) -> str:
    content = params["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[0]["text"])


def write_rows(root: Path) -> None:
    write_test(
        root / "t",
        prompt=[{"role": "user", "content": "Number {n}"}],
        prompt_parameters=["n"],
        checker_args={"checker_name": "RegexChecker", "pattern": "Number {n}!", "match_safe": True},
        instances=ROWS,
    )


def results(root: Path) -> list[dict[str, Any]]:
    (folder,) = (root / ".lve" / "runs").iterdir()
    lines = (folder / "results.jsonl").read_text().splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda one: one["line"])


def test_a_batch_gives_what_a_live_run_gives(root: Path) -> None:
    write_rows(root)
    batches = MessageBatches(lambda params: says(prompt_of(params) + "!"))
    with serving(batches):
        code, _, err = call("run", "t", "-m", NAME, "--batch")
    assert code == 0, err
    assert batches.seen == ["create", "poll", "poll", "results"]
    found = results(root)
    assert [one["verdict"] for one in found] == ["passed"] * 3
    completion = found[0]["transcripts"][0]["completions"][0]
    assert completion["latency_s"] == 120
    assert completion["usage"] == [5, 9]
    assert KEY not in err


def test_each_request_ends_in_its_own_way(root: Path) -> None:
    write_rows(root)
    failed = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        prompt = prompt_of(params)
        if prompt == "Number 0":
            return {"type": "expired"}
        if prompt == "Number 1":
            return errored("invalid_request_error", "Too odd.")
        failed.append(prompt)
        return errored("overloaded_error", "Busy.") if len(failed) == 1 else says(f"{prompt}!")

    with serving(MessageBatches(answer)):
        code, _, _ = call("run", "t", "-m", NAME, "--batch")
    assert code == 3
    expired, refused, passed = results(root)
    assert "lve run --retry-errors last" in expired["reason"]
    assert "400: Too odd." in refused["reason"]
    assert passed["verdict"] == "passed"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize("moment", ["create", "created", "poll"])
def test_a_batch_is_submitted_once_whenever_lve_is_killed(moment: str, root: Path) -> None:
    write_rows(root)
    batches = MessageBatches(lambda params: says(prompt_of(params) + "!"), polls=2)

    def kill(what: str, request: Received) -> Raw | None:
        if what != moment or not run.is_running:
            return None
        run.kill()
        return Raw(b"", close=True)

    with serving(batches):
        # A batch with as many requests that isn't this session's.
        assert call("run", "t", "-m", "anthropic/claude-opus-4-6", "--batch")[0] == 0
        batches.hook = kill
        run = KilledRun("t", "-m", NAME, "--batch")
        run.wait()
        code, out, err = call("run", "--resume", "last")
    assert code == 0, out + err
    assert len(batches.batches) == 2


def test_a_batch_whose_id_got_lost_is_found_when_it_is_over(root: Path) -> None:
    write_rows(root)
    lost = [Raw(b"", close=True)]
    batches = MessageBatches(
        lambda params: says(prompt_of(params) + "!"),
        hook=lambda what, request: lost.pop() if what == "created" and lost else None,
    )
    with serving(batches):
        code, out, err = call("run", "t", "-m", NAME, "--batch")
    assert code == 0, out + err
    assert len(batches.batches) == 1


def api() -> AnthropicBatches:
    model = create_model(NAME, Settings())
    assert isinstance(model, BatchModel)
    batches = model.batch_api()
    assert isinstance(batches, AnthropicBatches)
    return batches


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ({"type": "canceled"}, "cancelled"),
        ({"type": ["succeeded"]}, "malformed"),
        ({}, "malformed"),
        (7, "malformed"),
        ({"type": "succeeded"}, "malformed"),
        ({"type": "errored"}, "server_error"),
        ({"type": "errored", "error": {"error": {"type": "rate_limit_error"}}}, "rate_limit"),
        ({"type": "errored", "error": {"error": {"type": []}}}, "server_error"),
    ],
)
def test_a_line_is_an_error(result: Any, kind: str) -> None:
    batches, asked = api(), ChatRequest((Message("Hi"),))
    line = json.dumps({"custom_id": "x", "result": result}).encode()
    with pytest.raises(ModelError) as failed:
        batches.read(line, asked, batches.write(asked), latency_s=0.0)
    assert failed.value.kind == kind


@pytest.mark.parametrize("line", [b"", b"{", b"7", b'{"custom_id": 7}'])
def test_what_is_no_answer_has_no_name(line: bytes) -> None:
    assert api().name_of(line) is None


def test_models_of_gemini_have_no_batches_yet(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k" * 20)
    write_rows(root)
    with pytest.raises(UsageError, match="has no batch API"):
        call("run", "t", "-m", "gemini/gemini-3-pro", "--batch")
