"""Makes targets that are HTTP endpoints: they answer at once, or take requests as jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lve.errors import ModelError, PermanentModelError, SettingsError, TransientModelError
from lve.escape import excerpt
from lve.extensions.targets.http.answers import AnswerReader, Conditions, in_utf8, json_value
from lve.extensions.targets.http.login import Login
from lve.extensions.targets.http.request_writer import RequestWriter
from lve.extensions.targets.http.stream import StreamFormat, StreamReader
from lve.extensions.targets.http.transport import HttpRequest, Transports
from lve.extensions.targets.paths import ValuePath
from lve.extensions.targets.reply import Reply, session_from, unusable
from lve.extensions.targets.request import AppRequest, Takes
from lve.extensions.targets.target_model import Attempt, TargetModel
from lve.extensions.targets.version import version_of
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import classify, error_in_success, timed_out

UNAUTHORIZED = 401


def make_model(config: ModelConfig) -> ChatModel:
    """Return a model that is an HTTP endpoint.

    Raises:
        SettingsError: an option is invalid.
        MissingKeyError: a variable with a key is empty.
        TrustError: the command of its login or version isn't trusted.
    """
    if "url" not in config.entry.options:
        raise SettingsError(
            f"model {config.name!r}: an endpoint is defined in lve.yaml: `models: {{{config.name}: "
            '{provider: http, options: {url: "http://127.0.0.1:8000/chat", body: {question: '
            '"{prompt}"}, answer: $.reply}}`',
            code="target",
        )
    return HttpTarget(config)


class HttpTarget(TargetModel):
    """An endpoint that gets each request as the settings say."""

    def __init__(self, config: ModelConfig) -> None:
        """Args:
        config: the model's configuration.
        """
        options, where = _with_key(config), f"model {config.name!r}: options"
        self._writer = RequestWriter(config, options)
        self._reader = AnswerReader(options, where)
        self._conditions = Conditions(options, where)
        stream = options.get("stream")
        self._stream = None if stream is None else StreamFormat(stream, f"{where}.stream")
        self._jobs = Jobs(config, options["job"]) if "job" in options else None
        self._transports = Transports(config.name, config.max_connections)
        login = options.get("login")
        self._login = None if login is None else Login(config, login, self._transports)
        self._session_header: str | None = options.get("session_header")
        has_id = "session_id" in options or self._session_header is not None
        makes_own = options.get("session_from", "app" if has_id else "lve")
        names = ", ".join(f"`{{{name}}}`" for name in sorted(self._writer.names)) or "no part of it"
        takes = Takes(self._writer.names, own_session=makes_own == "lve", how=names)
        identity = {"url": options["url"], "request": _sent_options(options)}
        super().__init__(config, takes, identity, version_of(config))

    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        """Return the endpoint's answer; see `TargetModel.answer`."""
        values = request.values()
        reader = None
        if self._stream is not None:
            reader = StreamReader(self._stream, self._reader, attempt.add_text)
        response = await self._send(self._writer.request(values), attempt, reader)
        if reader is not None:
            return self._with_session(self._streamed(reader), response)
        body = in_utf8(response)
        if self._jobs is not None:
            body = await self._jobs.result(
                body, attempt, lambda look: self._send(look, attempt, None)
            )
        reply = self._reader.reply(body)
        attempt.show(reply.text)
        return self._with_session(reply, response)

    def _with_session(self, reply: Reply, response: HttpResponse) -> Reply:
        if self._session_header is None:
            return reply
        session = response.headers.get(self._session_header.lower())
        return reply._replace(session=session_from(session))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transports.aclose()
        if self._login is not None:
            await self._login.close()

    async def _send(
        self, request: HttpRequest, attempt: Attempt, reader: StreamReader | None
    ) -> HttpResponse:
        """Send a request with the token, which is renewed once if it was refused.

        Raises:
            ModelError: the response is an error.
        """
        for is_last in (False, True):
            header = {} if self._login is None else await self._login.header(attempt)
            sent = request._replace(headers={**request.headers, **header})
            if attempt.left_s <= 0:
                raise timed_out(attempt.timeout_s)
            response = await self._exchanged(sent, attempt, reader)
            if self._login is None or response.status != UNAUTHORIZED:
                break
            self._login.forget(header)
            if is_last:
                break
        if (error := self._error_of(response)) is not None:
            raise error
        return response

    async def _exchanged(
        self, request: HttpRequest, attempt: Attempt, reader: StreamReader | None
    ) -> HttpResponse:
        on_data = None if reader is None else reader.feed
        try:
            return await self._transports.send(request, timeout_s=attempt.left_s, on_data=on_data)
        except TransientModelError as error:
            if error.kind == "timeout":  # of what was left of it
                raise timed_out(attempt.timeout_s) from None
            raise

    def _error_of(self, response: HttpResponse) -> ModelError | None:
        if not self._conditions.are_none:
            data = json_value(response.body)
            error = self._conditions.error_of(response, response.body, data)
            if error is not None:
                return error
        if response.is_success:
            return None
        return classify(response.status, response.headers, response.body)

    def _streamed(self, reader: StreamReader) -> Reply:
        """Return a streamed answer.

        Raises:
            ModelError: an event is an error, or there was none.
        """
        reply = reader.reply()
        if isinstance(reader.last, Mapping):
            raise error_in_success(reader.last)
        return reply


def _with_key(config: ModelConfig) -> dict[str, Any]:
    """Return the options, with the model's `api_key_env` as a bearer token."""
    options, variable = dict(config.entry.options), config.entry.api_key_env
    return options if variable is None else {**options, "bearer_env": variable}


def _sent_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that decide what is sent and read, for the key of the cache."""
    names = ("method", "query", "body", "form", "text", "headers", "answer", "stream", "job")
    return {name: options[name] for name in names if name in options}


EVERY_S = 1.0


class Jobs:
    """How an application's jobs are asked for."""

    def __init__(self, config: ModelConfig, options: Mapping[str, Any]) -> None:
        """Args:
        config: the model's configuration.
        options: the option `job`.

        Raises:
            SettingsError: an option is invalid.
        """
        where = f"model {config.name!r}: options.job"
        headers = {
            name: config.entry.options[name]
            for name in ("headers", "headers_env")
            if name in config.entry.options
        }
        look = {"url": options["url"], "method": "GET", **headers}
        self._writer = RequestWriter(config, look, "options.job", names=("job",))
        self._id = ValuePath(options["id"], f"{where}.id")
        self._status = ValuePath(options["status"], f"{where}.status")
        self._done, self._failed = options["done"], options.get("failed", ())
        self._every_s: float = options.get("every_s", EVERY_S)

    async def result(
        self,
        submitted: bytes,
        attempt: Attempt,
        send: Callable[[HttpRequest], Awaitable[HttpResponse]],
    ) -> bytes:
        """Return the body that has the answer, when it is there.

        Args:
            submitted: the body of the answer to the request.
            attempt: the attempt, which ends in time.
            send: sends a request, and raises the error of a response that is none.

        Raises:
            ModelError: the job failed, or takes too long.
        """
        job = self._id.value_in(json_value(submitted))
        if not isinstance(job, str | int) or isinstance(job, bool):
            raise unusable(f"there is no job's id at {self._id.text}")
        while True:
            response = await send(self._writer.request({"job": job}))
            status = self._status.value_in(json_value(response.body))
            if status in self._done:
                return response.body
            if status in self._failed:
                message = f"the job {excerpt(str(job), 60)} ended with {excerpt(str(status), 60)}"
                raise PermanentModelError(message, kind="application")
            if attempt.left_s <= self._every_s:
                raise timed_out(attempt.timeout_s)
            await asyncio.sleep(self._every_s)
