"""The token that an endpoint wants, from a login request or a command. It is only in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from lve.errors import PermanentModelError
from lve.extensions.targets.http.answers import json_value
from lve.extensions.targets.http.request_writer import RequestWriter
from lve.extensions.targets.http.transport import Transports
from lve.extensions.targets.paths import ValuePath
from lve.extensions.targets.target_model import Attempt
from lve.extensions.targets.trust import check_trusted
from lve.extensions.targets.version import root_of
from lve.extensions.targets.workers import Command, Workers
from lve.models.config import ModelConfig
from lve.models.http.endpoint import headers_of
from lve.models.http.failures import classify
from lve.secrets.redaction import note_secrets
from lve.settings.model_settings import ModelSettings
from lve.settings.trusted_file import CodeRights

MAX_TOKEN_CHARS = 16_000


class Login:
    """Gives the header with the token. All requests share one token."""

    def __init__(
        self, config: ModelConfig, options: Mapping[str, Any], transports: Transports
    ) -> None:
        """Args:
        config: the model's configuration.
        options: the option `login`.
        transports: sends the request.

        Raises:
            SettingsError: an option is invalid.
            TrustError: the command isn't trusted.
        """
        where = f"model {config.name!r}: options.login"
        self._transports = transports
        self._header: str = options.get("header", "Authorization")
        self._prefix: str = options.get("prefix", "Bearer ")
        headers_of(config.name, ModelSettings(options={"headers": {self._header: self._prefix}}))
        self._writer: RequestWriter | None = None
        self._workers: Workers | None = None
        if "url" in options:
            self._writer = RequestWriter(config, options, "options.login", names=())
            self._path = ValuePath(options["answer"], f"{where}.answer")
        else:
            check_trusted(config, options["command"], "the command of its login")
            rights = CodeRights(tuple(options.get("env", ())), sandbox=None, memory_bytes=None)
            command = Command(options["command"], root_of(config), rights)
            self._workers = Workers(command, 1, "the command of the login")
        self._token: str | None = None
        self._lock: asyncio.Lock | None = None

    async def header(self, attempt: Attempt) -> dict[str, str]:
        """Return the header with the token, which is asked for first if there is none.

        Raises:
            ModelError: there is none.
        """
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            if self._token is None:
                self._token = _checked(await self._new_token(attempt))
                note_secrets([self._token])
            return {self._header: f"{self._prefix}{self._token}"}

    def forget(self, header: Mapping[str, str]) -> None:
        """Forget the token of a header that was refused, unless there is a newer one."""
        if header.get(self._header) == f"{self._prefix}{self._token}":
            self._token = None

    async def close(self) -> None:
        """End the command."""
        if self._workers is not None:
            await self._workers.close()

    async def _new_token(self, attempt: Attempt) -> object:
        if self._workers is not None:
            return (await self._workers.ask("", attempt.left_s)).strip()
        assert self._writer is not None
        response = await self._transports.send(
            self._writer.request({}), timeout_s=max(0.1, attempt.left_s)
        )
        if not response.is_success:
            failure = classify(response.status, response.headers, response.body)
            failure.args = (f"the login failed: {failure}",)
            raise failure
        return self._path.value_in(json_value(response.body))


def _checked(token: object) -> str:
    """Return a token that can be a header's value.

    Raises:
        PermanentModelError: it can't.
    """
    is_text = isinstance(token, str) and 0 < len(token) <= MAX_TOKEN_CHARS
    if is_text and str(token).isascii() and str(token).isprintable():
        return str(token)
    message = "the login gave no token (options.login.answer is its path, or the command prints it)"
    raise PermanentModelError(message, kind="authentication")
