"""Writes an application's requests from the settings: address, headers, and what is sent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from lve.errors import PermanentModelError, SettingsError
from lve.extensions.targets.http.template import Template
from lve.extensions.targets.http.transport import HttpRequest, check_address
from lve.extensions.targets.request import NAMES, SESSION
from lve.models.config import ModelConfig
from lve.models.http.endpoint import headers_of
from lve.models.http.failures import printable
from lve.models.http.json_body import encode
from lve.models.http.keys import named_key
from lve.secrets.redaction import note_secrets
from lve.settings.model_settings import ModelSettings

KINDS = {
    "body": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}
"""Option that says what is sent -> its Content-Type."""


class RequestWriter:
    """Writes requests to one address."""

    def __init__(
        self,
        config: ModelConfig,
        options: Mapping[str, Any],
        place: str = "options",
        names: tuple[str, ...] = NAMES,
    ) -> None:
        """Args:
        config: the model's configuration.
        options: those of the settings' options that describe the request.
        place: where they are in the settings, for messages.
        names: the names that its templates may have.

        Raises:
            SettingsError: an option is invalid, or a key must not be sent to the address.
            MissingKeyError: a variable with a key is empty.
        """
        where = f"model {config.name!r}: {place}"
        kinds = [kind for kind in KINDS if kind in options]
        if len(kinds) > 1:
            message = f"{where}: `{kinds[0]}` and `{kinds[1]}` exclude each other"
            raise SettingsError(message, code="target")
        self._url_text: str = options["url"]
        check_address(self._url_text, config.name, f"{where}.url")
        self._url = _template(options, "url", where, names)
        self._query = _template(options, "query", where, names)
        self._kind = kinds[0] if kinds else None
        self._content = _template(options, self._kind, where, names) if self._kind else None
        self._secrets = dict(options.get(f"{self._kind}_env", {}))
        self.method: str = options.get("method") or ("POST" if self._kind else "GET")
        self._headers = self._fixed_headers(config, options)
        self._filled_headers = Template(
            options.get("headers", {}), f"{where}.headers", tuple({SESSION} & {*names})
        )
        self._fields = {
            name: _secret(config, variable, self._url_text)
            for name, variable in self._secrets.items()
        }
        templates = filter(None, (self._url, self._query, self._content, self._filled_headers))
        self.names = frozenset(name for template in templates for name in template.names)
        """The names of what the request has of a conversation."""

    def _fixed_headers(self, config: ModelConfig, options: Mapping[str, Any]) -> dict[str, str]:
        headers = {"Content-Type": KINDS[self._kind]} if self._kind else {}
        entry = ModelSettings(options={"headers": options.get("headers", {})})
        own = headers_of(config.name, entry)
        headers = {k: v for k, v in headers.items() if k.lower() not in map(str.lower, own)} | own
        variables = dict(options.get("headers_env", {}))
        headers_of(config.name, ModelSettings(options={"headers": dict.fromkeys(variables, "")}))
        for name, variable in variables.items():
            headers[name] = _secret(config, variable, self._url_text)
        if "bearer_env" in options:  # the model's own `api_key_env`
            key = _secret(config, options["bearer_env"], self._url_text)
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def request(
        self, values: Mapping[str, Any], more: Mapping[str, str] | None = None
    ) -> HttpRequest:
        """Return a request.

        Args:
            values: name -> value of what it has of a conversation.
            more: further headers.

        Raises:
            PermanentModelError: a value can't be sent as JSON.
        """
        assert self._url is not None
        url = self._url.filled_text(values, partial(quote, safe="")).partition("#")[0]
        if self._query is not None:
            query = {name: _plain(value) for name, value in self._query.filled(values).items()}
            url += ("&" if "?" in url else "?") + urlencode(query)
        headers = self._headers
        if self._filled_headers.names:
            headers = headers | _checked_headers(self._filled_headers.filled(values))
            headers = {name: value for name, value in headers.items() if "{session}" not in value}
        return HttpRequest(self.method, url, {**headers, **(more or {})}, self._body(values))

    def _body(self, values: Mapping[str, Any]) -> bytes:
        if self._content is None:
            return b""
        content = self._content.filled(values)
        if self._kind == "text":
            return _plain(content).encode("utf-8", "replace")
        if self._fields:
            content = {**content, **self._fields}
        if self._kind == "form":
            return urlencode({name: _plain(value) for name, value in content.items()}).encode()
        return encode(content)


def _checked_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers whose values were filled in.

    Raises:
        PermanentModelError: one can't be sent.
    """
    for name, value in headers.items():
        if not (str(value).isascii() and str(value).isprintable()):
            message = f"the session's id can't be sent in the header {name}: {printable(value)!r}"
            raise PermanentModelError(message, kind="application")
    return {name: str(value) for name, value in headers.items()}


def _template(
    options: Mapping[str, Any], name: str, where: str, names: tuple[str, ...]
) -> Template | None:
    value = options.get(name)
    return None if value is None else Template(value, f"{where}.{name}", names)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _secret(config: ModelConfig, variable: str, url: str) -> str:
    """Return the value of a variable with a key.

    Raises:
        SettingsError: it must not be sent to this address.
        MissingKeyError: it is empty.
    """
    settings = config.settings
    if not settings.is_own:
        raise SettingsError(
            f"model {config.name!r}: {settings.file} would send the key in {variable} to {url}, "
            "and you don't stand in its workspace; look at it, then run lve in there",
            code="key_withheld",
        )
    secret = named_key(config.name, variable, url, is_users=False, env=os.environ).reveal()
    note_secrets([secret])
    return secret
