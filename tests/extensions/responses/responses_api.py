"""A server side of the Responses API that is as strict as OpenAI's: the types of the openai package
are the specification of what it takes and sends. Types from before `TYPES_SINCE` lack much of what
is sent now; with them, the server is not strict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import jsonschema_rs
from packaging.version import Version
from support.official_types import strict_schema
from support.openai_answers import Answer, Raw, Received, error_body
from support.openai_protocol import http
from support.server import ModelServer

from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

HELLO = ChatRequest((Message("Say hello."),))
Output = Sequence[Mapping[str, Any]]
TYPES_SINCE = Version("2.45")
HAS_TYPES = Version(version("openai")) >= TYPES_SINCE
TEXT_PIECE = 7
"""Characters of a text that one event of a stream has."""


def ask(server: ModelServer, request: ChatRequest, **fields: Any) -> Completion:
    """Return a server's answer to a request. `fields` are those of the model's settings."""
    entry = ModelSettings(model="test-model", **{"api": "responses"} | fields)

    async def run() -> Completion:
        model = create_model("m", Settings(models={"m": entry}), base_url=server.url)
        try:
            return await model.complete(request)
        finally:
            await model.aclose()

    return asyncio.run(run())


def problems(body: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the body of a request."""
    if not HAS_TYPES:
        return []
    return [error.message[:300] for error in _validator(bool(body.get("stream"))).iter_errors(body)]


def message(text: str, **fields: Any) -> dict[str, Any]:
    """Return an output item with a text."""
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    return {**item, "content": [part], **fields}


def response(asked: Mapping[str, Any], output: Output, **fields: Any) -> dict[str, Any]:
    """Return a whole response, valid as the openai package reads it."""
    from openai.types.responses import Response

    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": f"{asked['model']}-2026-09-01",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
            "output_tokens": 12,
            "output_tokens_details": {"reasoning_tokens": 5},
            "total_tokens": 32,
        },
        **fields,
    }
    if HAS_TYPES:
        Response.model_validate(body)
    return body


def events(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a response, each valid as the openai package reads it."""
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    begun = {**body, "status": "in_progress", "output": [], "usage": None, "error": None}
    found: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(body["output"]):
        found.append({"type": "response.output_item.added", "output_index": index, "item": item})
        found += _deltas(item, index)
        found.append({"type": "response.output_item.done", "output_index": index, "item": item})
    status = body["status"]
    found.append({"type": f"response.{status}", "response": body})
    for number, event in enumerate(found):
        event["sequence_number"] = number
    if HAS_TYPES:
        TypeAdapter(list[ResponseStreamEvent]).validate_python(found)
    return found


def stream(frames: Sequence[Mapping[str, Any]]) -> Raw:
    """Return events as they are sent."""
    lines = [f"event: {frame['type']}\ndata: {json.dumps(frame)}\n\n" for frame in frames]
    return Raw(http(200, "".join(lines).encode(), "Content-Type: text/event-stream\r\n"))


def refuse(text: str, status: int = 400, **fields: Any) -> Raw:
    """Return an error response."""
    error = {"message": text, "type": "invalid_request_error", "param": None, "code": None}
    return Raw(http(status, json.dumps({"error": {**error, **fields}}).encode()))


def strict(reply: Callable[[Mapping[str, Any]], Mapping[str, Any] | Raw]) -> Any:
    """Return an answer function for `model_server`: requests that the API wouldn't take get an
    error 400, others what `reply` makes of their body: a whole response, or raw bytes."""

    def answer(request: Received) -> Answer:
        if not request.path.endswith("/responses"):
            return Raw(http(404, error_body(f"no such path: {request.path}", "not_found")))
        if wrong := problems(request.json):
            return refuse(wrong[0])
        body = reply(request.json)
        if isinstance(body, Raw):
            return body
        return stream(events(body)) if request.json.get("stream") else body

    return answer


def says(text: str) -> Any:
    """Return an answer function that always answers with one text."""
    return strict(lambda asked: response(asked, [message(text)]))


@lru_cache(maxsize=2)
def _validator(is_streamed: bool) -> Any:
    from openai.types.responses import response_create_params as params

    kind: Any = params.ResponseCreateParamsNonStreaming
    if is_streamed:
        kind = params.ResponseCreateParamsStreaming
    return jsonschema_rs.validator_for(strict_schema(kind))


def _deltas(item: Mapping[str, Any], index: int) -> list[dict[str, Any]]:
    where = {"output_index": index, "item_id": item.get("id", "item_1")}
    if item["type"] == "function_call":
        kind = "response.function_call_arguments.delta"
        return [{"type": kind, **where, "delta": piece} for piece in _pieces(item["arguments"])]
    found: list[dict[str, Any]] = []
    for number, part in enumerate(item.get("content") or ()):
        here = {**where, "content_index": number}
        if part["type"] == "output_text":
            kind = "response.output_text.delta"
            pieces = _pieces(part["text"])
            found += [{"type": kind, **here, "delta": piece, "logprobs": []} for piece in pieces]
        elif part["type"] == "refusal":
            kind = "response.refusal.delta"
            found += [{"type": kind, **here, "delta": one} for one in _pieces(part["refusal"])]
    return found


def _pieces(text: str) -> list[str]:
    return [text[start : start + TEXT_PIECE] for start in range(0, len(text), TEXT_PIECE)]
