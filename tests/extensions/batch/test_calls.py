"""What batch APIs make of each kind of reply, line and token, and what their log keeps."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support.recorded_calls import Calls, changed, grid, in_folder, record, rows_of
from support.server import Raw, Received, http, model_server

from lve.errors import ModelError
from lve.extensions.batch import log, openai
from lve.extensions.batch.api import BatchApi, BatchModel, BatchStatus
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

ASKED = ChatRequest((Message("Hi"),), args={"max_tokens": 9})
NAMES = {"openai": "openai/x", "anthropic": "anthropic/claude-haiku-4-5"}
KEYS = {"OPENAI_API_KEY": "sk-of-this-test-0123456789", "ANTHROPIC_API_KEY": "sk-ant-of-0123456789"}
CHAT = {
    "choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]
}
MESSAGE = {"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"}
TOKEN = "0123456789abcdef0123"
LINES: Mapping[str, tuple[Any, ...]] = {
    "openai": (
        {"custom_id": "a", "response": {"status_code": 200, "body": CHAT}},
        {"custom_id": 7, "response": {"status_code": 429, "body": {"error": {"message": "Slow."}}}},
        {"response": {"status_code": "200", "body": CHAT}},
        {"response": {"body": {}}},
        {"response": None, "error": {"code": "batch_expired"}},
        {"response": [], "error": {"code": "batch_cancelled", "message": "By me."}},
        {"error": {"code": "odd", "message": "Why?"}},
        {"error": "x"},
        {},
    ),
    "anthropic": (
        {"custom_id": f"{TOKEN[:16]}-a", "result": {"type": "succeeded", "message": MESSAGE}},
        {"custom_id": "short", "result": {"type": "succeeded", "message": None}},
        {"custom_id": 7, "result": {"type": "expired"}},
        {"result": {"type": "canceled"}},
        {"result": {"type": "odd\x1b"}},
        {"result": None},
        *(
            {"result": {"type": "errored", "error": {"type": "error", "error": error}}}
            for error in (
                *({"type": kind, "message": "Why?"} for kind in (
                    *("invalid_request_error", "authentication_error", "permission_error"),
                    *("not_found_error", "api_error", "request_too_large", "billing_error"),
                    *("rate_limit_error", "overloaded_error", "timeout_error", "new_error"),
                )),
                {"type": 7}, None,
            )
        ),
        {"result": {"type": "errored", "error": 7}},
    ),
}  # fmt: skip
TEXTS = (b"", b"{", b"[]", b'"a"', b"7", b"\xff")
COUNTS: Mapping[str, tuple[Any, ...]] = {
    "openai": ({"completed": 2, "failed": 1}, {"completed": "2", "failed": 1}, None, []),
    "anthropic": (
        {"processing": 1, "succeeded": 2, "errored": 4, "canceled": 8, "expired": 16},
        {"processing": 1, "succeeded": "2", "expired": None}, None, [],
    ),
}  # fmt: skip
STATES: Mapping[str, tuple[Any, ...]] = {
    "openai": ("validating", "in_progress", "Completed", "failed", "expired", "cancelled", 7, None),
    "anthropic": ("in_progress", "canceling", "ended", "Ended", None),
}
OTHERS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "openai": (
        {"created_at": 100, "completed_at": 160, "output_file_id": "f1", "error_file_id": "f2"},
        {"created_at": 100, "completed_at": 100, "output_file_id": "../x", "error_file_id": None},
        {"created_at": 160, "completed_at": 100, "errors": {"data": [{"message": "No."}, {}]}},
        {"created_at": "100", "completed_at": 160, "errors": {"data": []}},
        {"created_at": 100, "completed_at": 10**12, "errors": [1]},
    ),
    "anthropic": (
        {"created_at": "2026-11-28T10:00:00Z", "ended_at": "2026-11-28T10:01:00.5+00:00"},
        {"created_at": "2026-11-28T10:00:00Z", "ended_at": "2026-11-28T09:00:00Z"},
        {"created_at": "2026-11-28T10:00:00Z", "ended_at": "2026-12-28T10:00:00Z"},
        {"created_at": "2026-11-28T10:00:00Z", "ended_at": "2026-11-28T10:01:00"},
        {"created_at": None, "ended_at": "soon"},
    ),
}
T, U, V = (digit * 32 for digit in "123")
LOGGED: tuple[tuple[Any, ...], ...] = (
    (),
    ({"token": T, "model": "m", "requests": ["a" * 32 + "-0", "b" * 32 + "-12"]},),
    ({"token": T, "model": "m", "requests": ["a" * 32 + "-0"]}, {"token": T, "batch": "b1"}),
    ({"token": T, "batch": "b1"}, {"token": T, "model": "n", "requests": []}),
    ({"token": T, "model": "m", "requests": ["a" * 32 + "-0"]},
     {"token": T, "model": "n", "requests": []}, "{", 7,
     {"token": U, "model": "m", "requests": [], "batch": "b"},
     {"token": V, "model": "m", "requests": ["d" * 32 + "-0"]}),
)  # fmt: skip


def api(tool: str, url: str = "http://127.0.0.1:1/v1") -> Any:
    server = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": url}
    with patch.dict(os.environ, {**KEYS, **server}):
        model = create_model(NAMES[tool], Settings())
    assert isinstance(model, BatchModel)
    return model.batch_api()


def read(tool: str, line: Any) -> object:
    """Return the answer in a line, or its error."""
    own: BatchApi = api(tool)
    text = json.dumps(line).encode()
    try:
        answer = own.read(text, ASKED, own.write(ASKED), latency_s=1.5)
    except ModelError as error:
        return f"{type(error).__name__}: {error.kind} {error.status} {error}", own.name_of(text)
    return answer.text, answer.latency_s, own.name_of(text)


def name_of(tool: str, text: bytes) -> object:
    return api(tool).name_of(text)


def written(tool: str) -> object:
    own = api(tool)
    request = own.write(ASKED)
    return own.line("a", request, TOKEN), own.kind(request), own.max_requests, own.max_bytes


def served(
    tool: str, replies: Mapping[str, Any], work: Callable[[Any], Any]
) -> tuple[object, list[str]]:
    """Return what comes of work with a server that has these replies, and what it was asked."""
    asked: list[str] = []

    def serve(request: Received) -> Raw:
        place = request.path + (request.query and f"?{request.query}")
        asked.append(f"{request.method} {place}")
        text = replies.get(place.removeprefix("/v1"))
        status = 200 if text is not None else 404
        body = text if isinstance(text, bytes) else json.dumps(text or {}).encode()
        return Raw(http(status, body))

    async def worked(url: str) -> object:
        own = api(tool, url)
        try:
            return await work(own)
        except ModelError as error:
            return f"{type(error).__name__}: {error.kind} {error}".replace(url, "URL")
        finally:
            await own.aclose()

    with model_server(418, serve=serve) as server:
        return asyncio.run(worked(server.url)), asked


def status(tool: str, reply: dict[str, Any]) -> object:
    paths = {"/batches/b1": reply, "/messages/batches/b1": reply}

    async def work(own: BatchApi) -> object:
        found: BatchStatus = await own.status("b1")
        problem = found.problem
        said = problem and f"{problem.kind} {problem.status} {problem}"
        return found.is_over, found.answered, found.took_s, found.files, said

    return served(tool, paths, work)[0]


def page(tool: str, number: int, has_more: object, *rows: dict[str, Any]) -> tuple[str, Any]:
    """Return the path of a page of batches, which begins after so many, and its content."""
    path, after = ("/batches", "after") if tool == "openai" else ("/messages/batches", "after_id")
    more = f"&{after}=b{number}" if number else ""
    return f"{path}?limit=100{more}", {"data": list(rows), "has_more": has_more}


def listed(number: int, token: str, state: str = "ended", count: int = 2) -> dict[str, Any]:
    counts = {"succeeded": count - 1, "expired": 1}
    own = {"id": f"b{number}", "processing_status": state, "request_counts": counts}
    return {**own, "metadata": {openai.TOKEN: token}}


def found(tool: str, pages: list[tuple[Any, ...]], token: str) -> object:
    """Look for a batch in some pages; each answer of batch N has the token `tN`."""
    replies = dict(page(tool, *each) for each in pages)
    for number in range(9):
        line = {"custom_id": f"{f't{number}' + 'x' * 14}-a"}
        replies[f"/messages/batches/b{number}/results"] = json.dumps(line).encode() + b"\n"

    async def work(own: BatchApi) -> object:
        return await own.find(token, 2)

    return served(tool, replies, work)


def submissions(*lines: Any) -> object:
    """Return the batches of a log, and those of a model."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)

    def work(folder: Path) -> str:
        own = log.BatchLog(folder)
        own.begin("4" * 32, "m", ("e" * 32 + "-1",))
        own.submitted("4" * 32, "b9")
        own.close()
        again = log.BatchLog(folder)
        again.close()
        of_model = [each.token for each in again.earlier_of("m")]
        return f"{own.earlier} {again.earlier[len(own.earlier) :]} {of_model} {own.is_kept}"

    return in_folder({log.FILE: text}, work)


def all_calls() -> Calls:
    calls: Calls = {**rows_of(submissions, LOGGED), "a new status": f"{[*BatchStatus('b1')]}"}
    for tool in NAMES:
        token = "t2" + "x" * 14 + "yyyy"
        one = (0, False, listed(1, "t1"), listed(2, token), listed(3, token))
        many = [(0, True, listed(0, "a"), listed(1, "b")), (1, True, listed(2, token))]
        open_ = (0, False, listed(1, token, "in_progress"), listed(3, token, count=3))
        kept = (0, False, listed(3, token, "in_progress"), listed(2, token))
        pages: tuple[Any, ...] = (
            [one],
            many,
            [open_],
            [kept],
            [(0, True)],
            [(0, "yes", listed(1, "b"))],
            [],
        )
        replies = [
            {
                "status": state,
                "processing_status": state,
                "request_counts": counts,
                **OTHERS[tool][0],
            }
            for state, counts in product(STATES[tool], COUNTS[tool])
        ]
        replies += [{"status": "failed", **other} for other in OTHERS[tool]]
        calls |= {
            **rows_of(read, [(tool, line) for line in LINES[tool]]),
            **grid(name_of, (tool,), TEXTS),
            **grid(written, (tool,)),
            **rows_of(status, [(tool, reply) for reply in replies]),
            **rows_of(found, [(tool, some, token) for some in pages]),
        }
    return calls


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("batch", all_calls()) == {}


if __name__ == "__main__":
    record("batch", all_calls())
