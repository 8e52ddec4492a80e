"""OpenAI's `/files` and `/batches` on loopback, as strict as the openai package's types."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

import jsonschema_rs
from extensions.responses import responses_api
from support.official_types import strict_schema
from support.openai_answers import Raw, Received, Reply, chat_body, error_body
from support.server import ModelServer, http, model_server

LINE_KEYS = {"custom_id", "method", "url", "body"}
Outcome = Mapping[str, Any] | tuple[int, Any] | int | str | None
"""A response's body, the status of an error, with its body or without, the code of an error
without response, or None for a request that is left out."""
Answer = Callable[[str, dict[str, Any]], Outcome]


@dataclass
class Batches:
    """The files and batches of an account."""

    answer: Answer
    key: str | None = None
    polls: int = 1
    """How often a batch is asked for before it is over."""
    end: str = "completed"
    hook: Callable[[str, Received], Raw | None] | None = None
    """Called with what is asked for (`upload`, `create`, `created`, `poll`, `list`, `download`);
    may answer instead of the server."""
    file_states: list[str] = field(default_factory=list)
    """States of an uploaded file before it is processed, as Azure has them."""
    capitals: bool = False
    """Whether states of batches begin with a capital letter."""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    polled: dict[str, int] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    """What was asked for, in order."""

    def requests(self, number: int = 0) -> list[dict[str, Any]]:
        """Return the requests of a batch."""
        batch = [*self.batches.values()][number]
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def serve(self, request: Received) -> Raw | None:
        """Answer a request; None if it is for no file and no batch."""
        path = request.path.removeprefix("/v1")
        verb, parts = request.method, path.strip("/").split("/")
        if parts[0] not in ("files", "batches"):
            return None
        what = {
            ("POST", "files"): "upload",
            ("POST", "batches"): "create",
            ("GET", "files"): "download" if parts[2:] else "file",
        }.get((verb, parts[0])) or ("poll" if len(parts) > 1 else "list")
        self.seen.append(what)
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return Raw(http(401, error_body("Incorrect API key provided", "invalid_api_key")))
        if self.hook is not None and (raw := self.hook(what, request)) is not None:
            return raw
        try:
            made = self._made(what, request, parts)
        except ValueError as error:
            return Raw(http(400, error_body(str(error), "invalid_request_error")))
        except KeyError:
            return Raw(http(404, error_body("No such object", "not_found")))
        if what == "create" and self.hook and (raw := self.hook("created", request)) is not None:
            return raw
        if isinstance(made, bytes):
            return Raw(http(200, made, "Content-Type: application/octet-stream\r\n"))
        return Raw(http(200, json.dumps(made).encode()))

    def _made(self, what: str, request: Received, parts: list[str]) -> Any:
        return self._file(parts[1]) if what == "file" else getattr(self, f"_{what}")(request, parts)

    def _upload(self, request: Received, parts: list[str]) -> dict[str, Any]:
        kind = request.headers["content-type"]
        form = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
        if not form.is_multipart():
            raise ValueError("a form was expected")
        found: dict[str, tuple[str | None, bytes]] = {}
        for part in form.walk():
            name = part.get_param("name", header="content-disposition")
            if isinstance(name, str):
                found[name] = (part.get_filename(), part.get_payload(decode=True) or b"")  # type: ignore[assignment]
        if found.keys() != {"purpose", "file"} or found["purpose"][1] != b"batch":
            raise ValueError("`purpose` must be batch, and nothing but a file beside it")
        name, content = found["file"]
        if not (name or "").endswith(".jsonl"):
            raise ValueError("only .jsonl files")
        id_ = f"file-{len(self.files)}"
        self.files[id_] = content
        return self._file(id_)

    def _file(self, id_: str) -> dict[str, Any]:
        status = self.file_states.pop(0) if self.file_states else "processed"
        return {"id": id_, "object": "file", "purpose": "batch", "status": status}

    def _create(self, request: Received, parts: list[str]) -> dict[str, Any]:
        from openai.types import Batch

        if wrong := [error.message for error in _creation().iter_errors(request.json)]:
            raise ValueError(wrong[0])
        self._check_lines(self.files[request.json["input_file_id"]], request.json["endpoint"])
        if self.file_states:
            raise ValueError("the file isn't processed yet")
        id_ = f"batch_{len(self.batches)}"
        batch = {
            **request.json,
            "id": id_,
            "object": "batch",
            "status": "validating",
            "created_at": int(time.time()) - 60,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        Batch.model_validate(batch)
        self.batches[id_] = batch
        return batch

    def _check_lines(self, content: bytes, endpoint: str) -> None:
        lines = [json.loads(line) for line in content.splitlines()]
        names = [line["custom_id"] for line in lines]
        if len(set(names)) != len(names) or not 0 < len(names) <= 50_000:
            raise ValueError("custom_id must be unique")
        for line in lines:
            if line.keys() != LINE_KEYS or line["method"] != "POST" or line["url"] != endpoint:
                raise ValueError(f"a line isn't as it should be: {sorted(line)}")
            if endpoint == "/v1/responses" and (wrong := responses_api.problems(line["body"])):
                raise ValueError(wrong[0])

    def _list(self, request: Received, parts: list[str]) -> dict[str, Any]:
        query = parse_qs(request.query)
        ids = [*reversed(self.batches)]
        if after := query.get("after"):
            ids = ids[ids.index(after[0]) + 1 :]
        limit = min(int(query.get("limit", ["20"])[0]), 2)  # small pages, to have several
        data = [self.batches[id_] for id_ in ids[:limit]]
        return {"object": "list", "data": data, "has_more": len(ids) > limit}

    def _poll(self, request: Received, parts: list[str]) -> dict[str, Any]:
        from openai.types import Batch

        batch = self.batches[parts[1]]
        self.polled[parts[1]] = self.polled.get(parts[1], 0) + 1
        if self.polled[parts[1]] > self.polls and batch["status"] in ("validating", "in_progress"):
            self._finish(batch)
        elif batch["status"] == "validating":
            batch["status"] = "in_progress"
        Batch.model_validate(batch)
        return {**batch, "status": batch["status"].capitalize()} if self.capitals else batch

    def _finish(self, batch: dict[str, Any]) -> None:
        if self.end == "failed":
            problem = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [problem]}}
            return
        good: list[Any] = []
        bad: list[Any] = []
        for line in self.files[batch["input_file_id"]].splitlines():
            asked = json.loads(line)
            outcome = self.answer(asked["url"], asked["body"])
            if outcome is not None:
                one = {"id": "r", "custom_id": asked["custom_id"], **_result(outcome)}
                (good if isinstance(outcome, Mapping) else bad).append(one)
        now = int(time.time())
        batch |= {"status": self.end, "completed_at": now}
        for key, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[key] = f"file-{len(self.files)}"
                # Their order is not that of the requests.
                text = "".join(json.dumps(one) + "\n" for one in reversed(lines))
                self.files[batch[key]] = text.encode()
        batch["request_counts"] = {
            "total": len(good) + len(bad),
            "completed": len(good),
            "failed": len(bad),
        }

    def _download(self, request: Received, parts: list[str]) -> bytes:
        if parts[2:] != ["content"]:
            raise KeyError
        return self.files[parts[1]]


def _result(outcome: Mapping[str, Any] | tuple[int, Any] | int | str) -> dict[str, Any]:
    if isinstance(outcome, str):
        return {"response": None, "error": {"code": outcome, "message": "It didn't happen."}}
    if isinstance(outcome, int):
        body: Any = json.loads(error_body("It is refused.", "invalid_request_error"))
        return {"response": {"status_code": outcome, "body": body}, "error": None}
    status, body = outcome if isinstance(outcome, tuple) else (200, outcome)
    return {"response": {"status_code": status, "body": body}, "error": None}


def says(text: str | Callable[[str], str | int]) -> Answer:
    """Return what answers requests of either API: with a text, or as a function of the prompt."""

    def answer(url: str, body: dict[str, Any]) -> Outcome:
        messages: Iterable[Any] = body["input"] if url == "/v1/responses" else body["messages"]
        said = [one["content"] for one in messages if one.get("role") == "user"]
        reply = text if isinstance(text, str) else text(str(said[-1]))
        if isinstance(reply, int):
            return reply
        if url == "/v1/responses":
            return responses_api.response(body, [responses_api.message(reply)])
        return chat_body(body, Reply(reply))

    return answer


@contextmanager
def batch_server(
    answer: Answer | str = "Hello", **behaviour: Any
) -> Iterator[tuple[ModelServer, Batches]]:
    """Run a server that answers in batches only."""
    batches = Batches(says(answer) if isinstance(answer, str) else answer, **behaviour)
    with model_server(418, serve=batches.serve) as server:
        yield server, batches


@lru_cache(maxsize=1)
def _creation() -> Any:
    from openai.types.batch_create_params import BatchCreateParams

    return jsonschema_rs.validator_for(strict_schema(BatchCreateParams))
