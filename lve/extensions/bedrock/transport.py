"""Sends requests through boto3, in threads: AWS's package finds the credentials and signs requests.

Its errors become responses with a status, so that one place decides what is retried.
"""

from __future__ import annotations

import asyncio
import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lve.errors import PermanentModelError
from lve.extensions.bedrock.endpoint import Access
from lve.limits.timeouts import in_time
from lve.models.http.answers import MAX_LISTED_MODELS
from lve.models.http.connections.transport import CONNECT_TIMEOUT_S, HttpResponse, OnData
from lve.models.http.failures import connection_failed, malformed, printable, timed_out
from lve.pipeline.threads import call_in_thread
from lve.secrets.redaction import note_secrets
from lve.version import __version__

CONVERSE = "/converse"
STREAM = "/converse-stream"
STATUSES = {
    "ThrottlingException": 429,
    "ModelNotReadyException": 503,
    "ServiceUnavailableException": 503,
    "ModelTimeoutException": 408,
    "ModelErrorException": 500,
    "ModelStreamErrorException": 500,
    "InternalServerException": 500,
    "ServiceQuotaExceededException": 402,
    "ExpiredTokenException": 401,
    "UnrecognizedClientException": 401,
    "InvalidSignatureException": 401,
    "ValidationException": 400,
}
"""AWS's error -> the HTTP status that tells whether to retry."""


class BedrockTransport:
    """Sends requests to one region. Each request in flight has a thread."""

    def __init__(self, access: Access, *, timeout_s: float, max_connections: int) -> None:
        self._access = access
        self._timeout_s = timeout_s
        self._max_connections = max_connections
        self._slots = asyncio.Semaphore(max_connections)
        self._lock = threading.Lock()
        self._client: Any = None

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout_s: float,
        on_data: OnData | None = None,
    ) -> HttpResponse:
        """Send `body`, the arguments of Converse; see `Transport.post`."""
        arguments = {**body, "messages": [_with_bytes(message) for message in body["messages"]]}
        if on_data is None:
            return await self._in_thread(lambda _: self._converse(arguments), timeout_s)
        return await self._in_thread(lambda over: self._stream(arguments, on_data, over), timeout_s)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Return a list of models as OpenAI's API has it, whatever the path."""
        return await self._in_thread(lambda _: self._list(), timeout_s)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            self._client.close()

    async def _in_thread(
        self, job: Callable[[threading.Event], HttpResponse], timeout_s: float
    ) -> HttpResponse:
        """Run `job` in a thread. The thread is abandoned on timeout and at the session's end; `job`
        can check its event for that."""
        async with self._slots:
            over = threading.Event()
            try:
                answer = call_in_thread(lambda: self._run(job, over, timeout_s))
                return await in_time(answer, timeout_s)
            except TimeoutError:
                raise timed_out(timeout_s) from None
            finally:
                over.set()

    def _run(
        self,
        job: Callable[[threading.Event], HttpResponse],
        over: threading.Event,
        timeout_s: float,
    ) -> HttpResponse:
        """Run `job`; boto3's errors become a response, or lve's errors."""
        from botocore import exceptions

        try:
            return job(over)
        except exceptions.ClientError as error:
            return _error_response(error.response)
        except (exceptions.ConnectTimeoutError, exceptions.ReadTimeoutError):
            raise timed_out(timeout_s) from None
        except (
            exceptions.NoCredentialsError,
            exceptions.PartialCredentialsError,
            exceptions.CredentialRetrievalError,
            exceptions.TokenRetrievalError,
        ) as error:
            message = f"{printable(str(error))} (log in with AWS's tools, or set AWS_PROFILE)"
            raise PermanentModelError(message, kind="authentication", was_sent=False) from None
        except exceptions.ParamValidationError as error:
            raise PermanentModelError(printable(str(error)), kind="bad_request") from None
        except (exceptions.ConnectionError, exceptions.HTTPClientError) as error:
            raise connection_failed(f"Bedrock in {self._access.region}", error) from None
        except exceptions.BotoCoreError as error:
            raise PermanentModelError(printable(str(error)), kind="bad_request") from None

    def _converse(self, arguments: Mapping[str, Any]) -> HttpResponse:
        client = self._runtime()
        with _unreadable_is_malformed():
            answer = client.converse(**arguments)
        return HttpResponse(200, {}, _json(answer))

    def _stream(
        self,
        arguments: Mapping[str, Any],
        on_data: OnData,
        over: threading.Event,
    ) -> HttpResponse:
        client = self._runtime()
        with _unreadable_is_malformed():
            stream = client.converse_stream(**arguments)["stream"]
        try:
            events = iter(stream)
            while not over.is_set():
                with _unreadable_is_malformed():
                    event = next(events, None)
                if event is None or on_data(b"data: %b\n\n" % _json(event)) == 0.0:
                    break
        finally:
            stream.close()
        return HttpResponse(200, {}, b"")

    def _list(self) -> HttpResponse:
        control = self._session().client("bedrock", config=self._config())
        try:
            models = control.list_foundation_models(byOutputModality="TEXT")["modelSummaries"]
            names = [model["modelId"] for model in models]
            for page in control.get_paginator("list_inference_profiles").paginate():
                profiles = page["inferenceProfileSummaries"]
                names += [profile["inferenceProfileId"] for profile in profiles]
                if len(names) >= MAX_LISTED_MODELS:
                    break
        finally:
            control.close()
        return HttpResponse(200, {}, _json({"data": [{"id": name} for name in names]}))

    def _runtime(self) -> Any:
        """Return the client. Called in a thread: finding credentials may use the network."""
        with self._lock:
            if self._client is None:
                self._client = self._session().client("bedrock-runtime", config=self._config())
            return self._client

    def _session(self) -> Any:
        import boto3

        access = self._access
        session = boto3.Session(profile_name=access.profile, region_name=access.region)
        _note_keys(session)
        return session

    def _config(self) -> Any:
        from botocore.config import Config

        return Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=self._timeout_s,
            max_pool_connections=self._max_connections,
            retries={"total_max_attempts": 1},
            user_agent_extra=f"lve/{__version__}",
        )


@contextmanager
def _unreadable_is_malformed() -> Iterator[None]:
    """Turn whatever boto3's parsers raise for an answer that they don't expect (UnicodeDecodeError,
    AttributeError, ...) into the error of an unreadable answer.

    Raises:
        TransientModelError: boto3 can't read the answer.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError):
        raise
    except Exception as error:
        raise malformed(f"boto3 can't read it ({type(error).__name__})") from error


def _note_keys(session: Any) -> None:
    """Let errors be redacted from keys that boto3 found in its files or got from AWS."""
    if (credentials := session.get_credentials()) is not None:
        keys = credentials.get_frozen_credentials()
        note_secrets(filter(None, (keys.access_key, keys.secret_key, keys.token)))


def _error_response(response: Mapping[str, Any]) -> HttpResponse:
    """Return the response for an error of AWS."""
    error = response.get("Error", {})
    code = str(error.get("Code", ""))
    metadata = response.get("ResponseMetadata", {})
    of_code = STATUSES.get(code[:1].upper() + code[1:])
    status = of_code or metadata.get("HTTPStatusCode") or 500
    headers = {str(k).lower(): str(v) for k, v in metadata.get("HTTPHeaders", {}).items()}
    body = {"error": {"type": code, "message": error.get("Message") or code}}
    return HttpResponse(status if status >= 400 else 500, headers, _json(body))


def _json(value: Any) -> bytes:
    return json.dumps(value, default=_plain).encode()


def _plain(value: object) -> str:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _with_bytes(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with bytes in place of base64 where boto3 expects bytes."""
    return {**message, "content": [_block_with_bytes(block) for block in message["content"]]}


def _block_with_bytes(block: Mapping[str, Any]) -> Mapping[str, Any]:
    for kind in ("image", "audio", "document"):
        if kind in block:
            source = {"bytes": b64decode(block[kind]["source"]["bytes"])}
            return {kind: {**block[kind], "source": source}}
    if "toolResult" in block:
        content = [_block_with_bytes(part) for part in block["toolResult"]["content"]]
        return {"toolResult": {**block["toolResult"], "content": content}}
    redacted = block.get("reasoningContent", {}).get("redactedContent")
    if redacted is not None:
        return {"reasoningContent": {"redactedContent": b64decode(redacted)}}
    return block
