"""OpenAI's batch API: `/files` and `/batches`, for chat completions and Responses."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import IO

from lve.errors import ModelError, PermanentModelError, UsageError
from lve.extensions.batch.api import BatchStatus
from lve.extensions.batch.files import FileTransport, id_in, is_id
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.http.answers import text_or_none
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import malformed, server_message
from lve.models.http.json_body import decode, encode, objects
from lve.models.http.wire import WrittenRequest
from lve.models.openai.endpoint import has_deployment

PREFIX = "/v1"
"""Prefix of every request's path in a batch, whatever the server's address."""
TOKEN = "lve"
"""Key of the token in a batch's metadata."""
WINDOW = "24h"
PAGE = 100
MAX_PAGES = 100
"""Maximum number of pages of batches that are searched for one."""
FILE_POLL_S = 0.5
MAX_PROCESSING_S = 600.0
"""Maximum time in seconds for the server to process an uploaded file."""
OVER = {"completed", "failed", "expired", "cancelled"}
_NO_ANSWER = {
    "expired": ("expired", "the batch expired before this was answered"),
    "cancelled": ("cancelled", "the batch was cancelled before this was answered"),
}


class OpenAIBatches:
    """The batches of one model; a `BatchApi`."""

    max_requests = 50_000
    max_bytes = 190_000_000
    """OpenAI's limit is 200 MB."""

    def __init__(self, model: HttpChatModel) -> None:
        """Raises:
        UsageError: the endpoint is an Azure deployment, which has no batches.
        """
        if has_deployment(model.endpoint):
            raise UsageError(
                f"{model.name}: batches need Azure's address /openai/v1: leave api_version out",
                code="no_batches",
            )
        self._model = model
        self._endpoint = model.endpoint
        self._files = FileTransport(model.endpoint)

    def write(self, request: ChatRequest) -> WrittenRequest:
        """Return a request in the API's format; see `BatchApi`."""
        if request.prompt is not None or request.score:
            raise PermanentModelError(
                "only chats can be part of a batch, not texts to be continued or rated",
                kind="not_supported",
                was_sent=False,
            )
        return self._model.write(request)

    def line(self, name: str, written: WrittenRequest, token: str) -> bytes:
        """Return a request's line in the batch's file."""
        url = PREFIX + written.path
        fields = {"custom_id": name, "method": "POST", "url": url, "body": written.body}
        return encode(fields) + b"\n"

    def kind(self, written: WrittenRequest) -> str:
        """Return the path, which is the same for all requests of a batch."""
        return PREFIX + written.path

    async def submit(self, lines: IO[bytes], kind: str, token: str) -> str:
        """Upload the requests and submit them as a batch; return its id."""
        fields = {"purpose": "batch"}
        response = await self._files.upload("/files", lines, "lve.jsonl", fields)
        file = self._object_at_batch_path(response)
        body: dict[str, JsonValue] = {
            "input_file_id": await self._processed(file),
            "endpoint": kind,
            "completion_window": WINDOW,
            "metadata": {TOKEN: token},
        }
        timeout_s = self._endpoint.timeout_s
        response = await self._model.transport.post("/batches", body, timeout_s=timeout_s)
        return id_in(self._object_at_batch_path(response))

    async def find(self, token: str, requests: int) -> str | None:
        """Return the id of the latest batch with this token, None if there is none."""
        after = ""
        for _ in range(MAX_PAGES):
            page = await self._files.get_object(f"/batches?limit={PAGE}{after}")
            batches = objects(page.get("data"))
            for listed in batches:
                metadata = listed.get("metadata")
                if isinstance(metadata, Mapping) and metadata.get(TOKEN) == token:
                    return id_in(listed)
            if not (batches and page.get("has_more") is True):
                return None
            after = f"&after={id_in(batches[-1])}"
        return None

    async def status(self, batch: str) -> BatchStatus:
        """Return the state of a batch."""
        reply = await self._files.get_object(f"/batches/{batch}")
        state = (text_or_none(reply.get("status")) or "").lower()  # Azure's may have capitals
        counts = reply.get("request_counts")
        counts = counts if isinstance(counts, Mapping) else {}
        done = [counts.get(name) for name in ("completed", "failed")]
        files = [reply.get(name) for name in ("output_file_id", "error_file_id")]
        return BatchStatus(
            batch,
            state in OVER,
            sum(n for n in done if isinstance(n, int)),
            self._problem(state, reply),
            _seconds(reply),
            tuple(file for file in files if isinstance(file, str) and is_id(file)),
        )

    async def fetch(self, status: BatchStatus, into: IO[bytes]) -> None:
        """Write the answers and errors of a batch to `into`."""
        for name in status.files:
            response = await self._files.download(f"/files/{name}/content", into)
            if response is not None:
                raise self._files.failure(response)
            into.write(b"\n")

    def name_of(self, line: bytes) -> str | None:
        """Return the name of the request that a line answers, None if it isn't an answer."""
        try:
            data = decode(line)
        except ValueError:
            return None
        return text_or_none(data.get("custom_id")) if isinstance(data, Mapping) else None

    def read(
        self, line: bytes, request: ChatRequest, written: WrittenRequest, *, latency_s: float
    ) -> Completion:
        """Return the completion in an answer's line."""
        data = decode(line)
        response = data.get("response")
        if not isinstance(response, Mapping):
            raise self._error_of(data.get("error"))
        status = response.get("status_code")
        try:
            body = json.dumps(response.get("body")).encode()  # which may have minus infinity
        except RecursionError:
            raise malformed("nested too deeply") from None
        answer = HttpResponse(status if isinstance(status, int) else 500, {}, body)
        return self._model.read(answer, request, written, latency_s=latency_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._files.aclose()

    def _problem(self, state: str, batch: JsonObject) -> ModelError | None:
        """Return why requests of a batch are unanswered, None if the batch isn't the reason."""
        if state in _NO_ANSWER:
            return _not_answered(*_NO_ANSWER[state])
        if state != "failed":
            return None
        errors = batch.get("errors")
        details = objects(errors.get("data")) if isinstance(errors, Mapping) else []
        why = server_message(details[0] if details else {}, b"", self._endpoint.secret)
        return PermanentModelError(f"the batch was refused: {why}", kind="bad_request", status=400)

    def _error_of(self, error: JsonValue) -> ModelError:
        """Return the error for a request without a response."""
        code = error.get("code") if isinstance(error, Mapping) else None
        kind = "cancelled" if code == "batch_cancelled" else "expired"
        if code in ("batch_expired", "batch_cancelled"):
            return _not_answered(*_NO_ANSWER[kind])
        details = error if isinstance(error, Mapping) else {}
        return malformed(
            server_message(details, b"an answer without response", self._endpoint.secret)
        )

    async def _processed(self, file: JsonObject) -> str:
        """Return the id of an uploaded file once the server has processed it (Azure is slow)."""
        name = id_in(file)
        ends_at = time.monotonic() + MAX_PROCESSING_S
        while file.get("status") in ("pending", "running") and time.monotonic() < ends_at:
            await asyncio.sleep(FILE_POLL_S)
            file = await self._files.get_object(f"/files/{name}")
        return name

    def _object_at_batch_path(self, response: HttpResponse) -> JsonObject:
        """Return the object in the response of a path that only servers with batches have."""
        if response.status in (404, 405, 501):
            failure = self._files.failure(response)
            message = f"{failure}: the server may have no batch API; run without --batch"
            raise PermanentModelError(message, kind="not_supported", status=response.status)
        return self._files.object_in(response)


def _seconds(batch: JsonObject) -> float:
    begun, ended = batch.get("created_at"), batch.get("completed_at")
    if isinstance(begun, int) and isinstance(ended, int) and begun <= ended <= time.time() + 86400:
        return float(ended - begun)
    return 0.0


def _not_answered(kind: str, why: str) -> ModelError:
    return PermanentModelError(f"{why}; `lve run --retry-errors last` asks again", kind=kind)
