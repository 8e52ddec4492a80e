"""Anthropic's Message Batches on loopback, as strict as the anthropic package's types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs

import jsonschema_rs
import pytest
from support.official_types import first_error, strict_schema
from support.openai_answers import Raw, Received
from support.server import http

OLDER_ARGS = ("temperature", "top_p", "top_k")
"""Models before Claude Opus 4.7 take them; the package of today no longer names them."""
PATH = "/v1/messages/batches"
MESSAGE = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [{"type": "text", "text": "Hello!"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 9},
}


def says(text: str) -> dict[str, Any]:
    """Return the result of a request that succeeded."""
    return {
        "type": "succeeded",
        "message": {**MESSAGE, "content": [{"type": "text", "text": text}]},
    }


def errored(kind: str, message: str) -> dict[str, Any]:
    """Return the result of a request that failed."""
    error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}
    return {"type": "errored", "error": error}


@dataclass
class MessageBatches:
    """The batches of an account."""

    answer: Callable[[dict[str, Any]], Mapping[str, Any]] = lambda params: says("Hello!")
    polls: int = 1
    """How often a batch is asked for before it is over."""
    hook: Callable[[str, Received], Raw | None] | None = None
    """Called with what is asked for (`create`, `created`, `poll`, `list`, `results`)."""
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: dict[str, list[Any]] = field(default_factory=dict)
    """Id of a batch -> its requests."""
    seen: list[str] = field(default_factory=list)

    def serve(self, request: Received) -> Raw | None:
        """Answer a request; None if it is for no batch."""
        if not request.path.startswith(PATH):
            return None
        parts = request.path.removeprefix(PATH).strip("/").split("/")
        what = "create" if request.method == "POST" else "list" if parts == [""] else "poll"
        what = "results" if parts[1:] == ["results"] else what
        self.seen.append(what)
        if request.headers.get("x-api-key") is None or "anthropic-version" not in request.headers:
            return _error(401, "authentication_error", "no key or version")
        if self.hook is not None and (raw := self.hook(what, request)) is not None:
            return raw
        if what == "create":
            return self._create(request)
        if what == "list":
            return self._list(parse_qs(request.query))
        if parts[0] not in self.batches:
            return _error(404, "not_found_error", "no such batch")
        return self._results(parts[0]) if what == "results" else self._poll(parts[0])

    def _create(self, request: Received) -> Raw:
        if wrong := first_error(_creation(), _of_today(request.json)):
            return _error(400, "invalid_request_error", wrong)
        names = [one["custom_id"] for one in request.json["requests"]]
        if len(set(names)) != len(names) or any(len(name) > 64 for name in names):
            return _error(400, "invalid_request_error", "custom_id")
        id_ = f"msgbatch_{len(self.batches)}"
        self.asked[id_] = request.json["requests"]
        self.batches[id_] = {
            "id": id_,
            "type": "message_batch",
            "processing_status": "in_progress",
            "created_at": "2026-11-22T10:00:00.100435Z",
            "expires_at": "2026-11-23T10:00:00.100435Z",
            "ended_at": None,
            "results_url": None,
            "request_counts": _counts(processing=len(names)),
        }
        if self.hook is not None and (raw := self.hook("created", request)) is not None:
            return raw
        return _object(self.batches[id_])

    def _list(self, query: Mapping[str, list[str]]) -> Raw:
        ids = [*reversed(self.batches)]
        if after := query.get("after_id"):
            ids = ids[ids.index(after[0]) + 1 :]
        shown = ids[: min(int(query.get("limit", ["20"])[0]), 2)]  # small pages, to have several
        for id_ in shown:
            self._end(id_)
        data = [self.batches[id_] for id_ in shown]
        more = len(ids) > len(shown)
        return _object({"data": data, "has_more": more, "first_id": None, "last_id": None})

    def _poll(self, id_: str) -> Raw:
        self._end(id_)
        return _object(self.batches[id_])

    def _end(self, id_: str) -> None:
        """End a batch if it was asked for often enough."""
        from anthropic.types.messages import MessageBatch

        batch = self.batches[id_]
        batch["polled"] = batch.get("polled", 0) + 1
        if batch["polled"] > self.polls and batch["processing_status"] == "in_progress":
            batch |= {
                "processing_status": "ended",
                "ended_at": "2026-11-22T10:02:00.100435Z",
                "results_url": f"https://api.anthropic.com{PATH}/{id_}/results",
                "request_counts": _counts(succeeded=len(self.asked[id_])),
            }
        MessageBatch.model_validate(batch)

    def _results(self, id_: str) -> Raw:
        from anthropic.types.messages import MessageBatchIndividualResponse

        lines = []
        for one in reversed(self.asked[id_]):
            line = {"custom_id": one["custom_id"], "result": dict(self.answer(one["params"]))}
            MessageBatchIndividualResponse.model_validate(line)
            lines.append(json.dumps(line) + "\n")
        return Raw(http(200, "".join(lines).encode(), "Content-Type: application/x-jsonl\r\n"))


def _of_today(body: Any) -> Any:
    """Return a body without the args that only older models take."""
    requests = [
        {**one, "params": {n: v for n, v in one["params"].items() if n not in OLDER_ARGS}}
        for one in body["requests"]
    ]
    return {**body, "requests": requests}


def _counts(**given: int) -> dict[str, int]:
    names = ("processing", "succeeded", "errored", "canceled", "expired")
    return {**dict.fromkeys(names, 0), **given}


def _object(data: Mapping[str, Any]) -> Raw:
    return Raw(http(200, json.dumps(data).encode()))


def _error(status: int, kind: str, message: str) -> Raw:
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return Raw(http(status, json.dumps(error).encode()))


@cache
def _creation() -> Any:
    pytest.importorskip("anthropic", reason="pip install anthropic")
    from anthropic.types.messages.batch_create_params import BatchCreateParams

    return jsonschema_rs.validator_for(strict_schema(BatchCreateParams))
