"""Anthropic's Message Batches API."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import datetime
from typing import IO

from lve.errors import PermanentModelError, TransientModelError
from lve.extensions.batch.api import UNDECIDED, BatchStatus
from lve.extensions.batch.files import FileTransport, id_in
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.answers import text_or_none
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import STATUS_OF_TYPE, malformed, printable
from lve.models.http.json_body import decode, encode, objects
from lve.models.http.wire import WrittenRequest

PATH = "/messages/batches"
PAGE = 100
MAX_PAGES = 20
"""Maximum number of pages of batches that are searched for one. Batches are kept for 29 days."""
TOKEN_LETTERS = 16
"""Length of the part of a batch's token that begins the id of each request, at most 64 characters
with the request's name. Batches have no metadata by which they could be found."""


class AnthropicBatches:
    """The batches of one model; a `BatchApi`."""

    max_requests = 100_000
    max_bytes = 240_000_000
    """Anthropic's limit is 256 MB."""

    def __init__(self, model: HttpChatModel) -> None:
        self._model = model
        self._files = FileTransport(model.endpoint)

    def write(self, request: ChatRequest) -> WrittenRequest:
        """Return a request in the API's format; see `BatchApi`."""
        return self._model.write(request)

    def line(self, name: str, written: WrittenRequest, token: str) -> bytes:
        """Return a request's line in the batch's file."""
        custom_id = f"{token[:TOKEN_LETTERS]}-{name}"
        return encode({"custom_id": custom_id, "params": written.body}) + b"\n"

    def kind(self, written: WrittenRequest) -> str:
        """Return the same key for all requests: any of them can be in one batch."""
        return ""

    async def submit(self, lines: IO[bytes], kind: str, token: str) -> str:
        """Submit requests as a batch; return its id."""
        response = await self._files.send(PATH, lines, (b'{"requests":', b"}"))
        return id_in(self._files.object_in(response))

    async def find(self, token: str, requests: int) -> str | None:
        """Return the id of the latest batch with this token, None if there is none.

        Raises:
            TransientModelError: a batch that hasn't ended yet may be the one.
        """
        after, is_open = "", False
        for _ in range(MAX_PAGES):
            page = await self._files.get_object(f"{PATH}?limit={PAGE}{after}")
            batches = objects(page.get("data"))
            for listed in batches:
                if sum(_counts(listed)) != requests:
                    continue
                if listed.get("processing_status") != "ended":
                    is_open = True
                elif await self._has_token(id_in(listed), token):
                    return id_in(listed)
            if not (batches and page.get("has_more") is True):
                break
            after = f"&after_id={id_in(batches[-1])}"
        if is_open:
            message = "a batch that isn't over yet may be the one that was submitted"
            raise TransientModelError(message, kind=UNDECIDED)
        return None

    async def status(self, batch: str) -> BatchStatus:
        """Return the state of a batch."""
        reply = await self._files.get_object(f"{PATH}/{batch}")
        is_over = reply.get("processing_status") == "ended"
        _, *answered = _counts(reply)
        return BatchStatus(batch, is_over, sum(answered), None, _seconds(reply), (batch,))

    async def fetch(self, status: BatchStatus, into: IO[bytes]) -> None:
        """Write the answers and errors of a batch to `into`."""
        for name in status.files:
            response = await self._files.download(f"{PATH}/{name}/results", into)
            if response is not None:
                raise self._files.failure(response)

    def name_of(self, line: bytes) -> str | None:
        """Return the name of the request that a line answers, None if it isn't an answer."""
        try:
            data = decode(line)
        except ValueError:
            return None
        custom_id = text_or_none(data.get("custom_id")) if isinstance(data, Mapping) else None
        return custom_id and custom_id[TOKEN_LETTERS + 1 :]

    def read(
        self, line: bytes, request: ChatRequest, written: WrittenRequest, *, latency_s: float
    ) -> Completion:
        """Return the completion in an answer's line."""
        result = decode(line).get("result")
        result = result if isinstance(result, Mapping) else {}
        kind = result.get("type")
        if kind in ("expired", "canceled"):
            raise PermanentModelError(
                f"the batch {'expired' if kind == 'expired' else 'was cancelled'} before this was "
                "answered; `lve run --retry-errors last` asks again",
                kind="expired" if kind == "expired" else "cancelled",
            )
        if kind not in ("succeeded", "errored"):
            raise malformed(f"a result of the type {printable(str(kind))!r}")
        body = result.get("message" if kind == "succeeded" else "error")
        status = 200 if kind == "succeeded" else _status(body)
        answer = HttpResponse(status, {}, json.dumps(body).encode())
        return self._model.read(answer, request, written, latency_s=latency_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._files.aclose()

    async def _has_token(self, batch: str, token: str) -> bool:
        """Return whether a batch that has ended was submitted with `token`, by its first answer."""
        with tempfile.TemporaryFile() as file:
            await self.fetch(BatchStatus(batch, files=(batch,)), file)
            file.seek(0)
            return f'"{token[:TOKEN_LETTERS]}-'.encode() in file.readline()


def _counts(batch: JsonObject) -> list[int]:
    """Return the number of a batch's requests in process, and of those that ended in each way."""
    counts = batch.get("request_counts")
    counts = counts if isinstance(counts, Mapping) else {}
    numbers = [counts.get(n) for n in ("processing", "succeeded", "errored", "canceled", "expired")]
    return [count if isinstance(count, int) else 0 for count in numbers]


def _status(body: JsonValue) -> int:
    error = body.get("error") if isinstance(body, Mapping) else None
    kind = error.get("type") if isinstance(error, Mapping) else None
    return STATUS_OF_TYPE.get(kind, 500) if isinstance(kind, str) else 500


def _seconds(batch: JsonObject) -> float:
    """Return how many seconds a batch took; 0 if the server doesn't say."""
    try:
        begun, ended = (
            datetime.fromisoformat(str(batch.get(name)).replace("Z", "+00:00"))
            for name in ("created_at", "ended_at")
        )
        return max(0.0, min((ended - begun).total_seconds(), 1e6))
    except (ValueError, TypeError):  # TypeError: one has a time zone, the other doesn't
        return 0.0
