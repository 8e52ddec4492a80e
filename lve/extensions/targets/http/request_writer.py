"""Writes an application's requests from the settings: address, headers, and what is sent.

What is sent is JSON in whose texts `{prompt}` and the like are replaced by values. A value never
becomes part of the JSON's own text: a text that is only `{messages}` becomes the list, and a name
inside a longer text is filled in there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from lve.errors import PermanentModelError, SettingsError
from lve.extensions.targets.http.transport import HttpRequest, check_address
from lve.extensions.targets.request import ARGS, NAMES, SESSION
from lve.json_types import JsonValue
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


_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][\w.]*)\}")
MISSING = object()
"""The value of a name that the request doesn't have. A field with it is left out."""


class Template:
    """A JSON value with names in its texts."""

    def __init__(self, value: JsonValue, where: str, names: tuple[str, ...] = NAMES) -> None:
        """Args:
        value: the value.
        where: the setting that has it, for messages.
        names: the names that it may have.

        Raises:
            SettingsError: it has another one.
        """
        self._value = value
        self.names = frozenset(name.partition(".")[0] for name in _names_in(value))
        """The names that it has; `args` for each `{args.NAME}`."""
        for name in _names_in(value):
            first, dot, _ = name.partition(".")
            if first not in names or (dot and first != ARGS):
                raise SettingsError(_unknown(where, name, names), code="target")

    def filled(self, values: Mapping[str, Any]) -> Any:
        """Return the value with the names replaced."""
        return _filled(self._value, values)

    def filled_text(self, values: Mapping[str, Any], change: Callable[[str], str] = str) -> str:
        """Return the value, which is a text, with the names replaced by texts.

        Args:
            values: name -> value.
            change: called with each text before it is put in.
        """
        return _PLACE.sub(lambda match: _replaced(match, values, change), str(self._value))


def _unknown(where: str, name: str, names: tuple[str, ...]) -> str:
    usual = [f"{{{name}}}" for name in names]
    usual = [*usual, "{args.NAME}"] if ARGS in names else usual
    names_there = f"there are {', '.join(usual) or 'none here'}"
    return (
        f"{where}: `{{{name}}}` is no name ({names_there}; for a brace that is meant, write {{{{)"
    )


def _names_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (match[1] for match in _PLACE.finditer(value) if match[1])
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _names_in(str(key))
            yield from _names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names_in(item)


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        if whole is not None and whole[1]:
            return _value(whole[1], values)
        return _PLACE.sub(lambda match: _replaced(match, values), value)
    if isinstance(value, Mapping):
        items = ((_text(_filled(str(k), values)), _filled(v, values)) for k, v in value.items())
        return {key: item for key, item in items if item is not MISSING}
    if isinstance(value, list):
        return [item for v in value if (item := _filled(v, values)) is not MISSING]
    return value


def _replaced(
    match: re.Match[str], values: Mapping[str, Any], change: Callable[[str], str] = str
) -> str:
    name = match[1]
    return match[0][0] if name is None else change(_text(_value(name, values)))


def _value(name: str, values: Mapping[str, Any]) -> Any:
    first, dot, rest = name.partition(".")
    value = values.get(first)
    if dot:
        value = value.get(rest, MISSING) if isinstance(value, Mapping) else MISSING
    return MISSING if value is None else value


def _text(value: object) -> str:
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
