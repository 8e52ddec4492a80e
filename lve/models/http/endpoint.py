"""Endpoints: a model's server with its URL, key and headers, from the settings and the
environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from lve.data_classes import dataclass, field
from lve.errors import SettingsError, UsageError
from lve.models.http.keys import Secret, provider_key
from lve.models.known_tables import Provider
from lve.settings.model_settings import ModelSettings

DEFAULT_TIMEOUT_S = 120.0
"""Default time limit of one attempt in seconds."""
OPTIONS = ("client", "headers")
"""Options that the settings of all servers may have."""
NO_SUCH_PATH = (404, 405, 501)
"""Statuses of a server that doesn't have the path of a request."""
_VERSION = re.compile(r"[A-Za-z0-9.-]{1,40}")
_VERSION_END = re.compile(r"/v[0-9][a-z0-9]*$")
_OTHER_METHOD = re.compile(r"(?<=/)(v[0-9][a-z0-9]*)/(?:messages|models)$")
"""The end of an address that is no base URL, or one of another API."""
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""A token of RFC 9110."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server, and how to reach it."""

    provider: str
    """The API: `openai`, `azure`, or that of another provider."""
    base_url: str
    """Without a trailing slash and without credentials."""
    model: str
    """The model's name at the server."""
    secret: Secret
    auth: Literal["bearer", "api-key", "x-api-key", "x-goog-api-key"] = "bearer"
    """How the key is sent: as a bearer token, or in the header of this name."""
    api_version: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers of every request."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    client: Literal["own", "openai"] = "own"
    """The HTTP client to use: lve's own, or the `openai` package."""

    @property
    def identity(self) -> dict[str, Any]:
        """Everything about the endpoint that can change an answer, for the cache key."""
        return {
            "provider": self.provider,
            "base_url": self.base_url,
            "model": self.model,
            "api_version": self.api_version,
        }

    def auth_header(self) -> tuple[str, str]:
        """Return name and value of the header with the key. Must never be stored."""
        if self.auth == "bearer":
            return "Authorization", f"Bearer {self.secret.reveal()}"
        return self.auth, self.secret.reveal()


def server_endpoint(
    name: str,
    settings: ModelSettings,
    url: str,
    *,
    provider: str,
    is_from_command_line: bool,
    env: Mapping[str, str],
    home: Provider,
    auth: Literal["bearer", "x-api-key", "x-goog-api-key"] = "bearer",
    api_version: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: tuple[str, ...] = OPTIONS,
) -> Endpoint:
    """Return the endpoint of a model at a server with a key.

    Args:
        name: the model's name as the user gave it.
        settings: the model's settings.
        url: the server's address, already checked.
        provider: the API.
        is_from_command_line: whether the command line names the server.
        env: environment variables.
        home: the provider's own server.
        auth: how the key is sent.
        api_version: the API's version, if it is sent as a query.
        headers: headers of every request, before those in the settings.
        options: the options that the settings may have.

    Raises:
        MissingKeyError: there is no key.
        SettingsError: an option or a header is invalid.
    """
    return Endpoint(
        provider=provider,
        base_url=url,
        model=served_name(name, settings),
        secret=provider_key(
            name, settings, url, is_from_command_line=is_from_command_line, env=env, home=home
        ),
        auth=auth,
        api_version=api_version,
        headers={**(headers or {}), **headers_of(name, settings)},
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=client_of(name, settings, options),
    )


def served_name(name: str, settings: ModelSettings) -> str:
    """Return the model's name at the server: that in the settings, or NAME of `PROVIDER/NAME`."""
    return settings.model or name.partition("/")[2] or name


def version_of(name: str, settings: ModelSettings, default: str) -> str:
    """Return the API's version, which becomes a header or a part of the URL.

    Raises:
        SettingsError: it has characters that aren't safe there.
    """
    version = settings.api_version or default
    if not _VERSION.fullmatch(version):
        raise SettingsError(
            f"model {name!r}: api_version may have letters, digits, - and . only",
            code="model_options",
        )
    return version


def checked_url(url: str, name: str, ends: Sequence[str] = ()) -> str:
    """Return a URL without a trailing slash, and without the path of a request.

    Args:
        url: the address as the user wrote it.
        name: the model's name as the user gave it.
        ends: paths of the API's requests, with which people write its address.

    Raises:
        UsageError: the URL is invalid, or has credentials or a query.
    """
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and parts.port != 0 and _is_host(parts.hostname)
    except ValueError:
        raise _not_a_url(name) from None
    if parts.username or parts.password:
        raise UsageError(
            f"model {name!r}: a base URL must not hold credentials; put the key into a variable "
            "and name it with api_key_env in the model's settings",
            code="base_url",
        )
    if parts.query or parts.fragment:
        raise UsageError(
            f"model {name!r}: the base URL must not have a query (there is api_version)",
            code="base_url",
        )
    # urlsplit silently drops line ends.
    if not is_url or not (url.isascii() and url.isprintable()) or " " in url:
        raise _not_a_url(name)
    url = url.rstrip("/")
    for end in ends:
        url = url.removesuffix(end).rstrip("/")
    return url


def with_version(url: str, version: str) -> str:
    """Return a URL that ends in a version of the API: its own, or this one."""
    return url if _VERSION_END.search(url) else f"{url}/{version}"


def usual_address(url: str, end: str) -> str | None:
    """Return where a server of an API probably is that isn't at `url`, None if there is no better
    guess.

    Args:
        url: the server's address, where there was nothing.
        end: how addresses of the API usually end, such as `/v1`.
    """
    base = _OTHER_METHOD.sub(r"\1", url)
    if base == url and (url.endswith(end) or (end == "/v1" and _VERSION_END.search(url))):
        return None
    return _VERSION_END.sub("", base).removesuffix("/api") + end


def _is_host(host: str | None) -> bool:
    """Return whether a host's labels have 1 to 63 characters (RFC 1035). Looking up another host
    raises a UnicodeError in Python."""
    labels = (host or "").removesuffix(".").split(".")
    return all(0 < len(label) < 64 for label in labels)


def _not_a_url(name: str) -> UsageError:
    return UsageError(
        f"model {name!r}: the base URL is not one (example: http://localhost:8000/v1)",
        code="base_url",
    )


def host_of(url: str) -> str:
    """Return the host of a URL."""
    return urlsplit(url).hostname or ""


def headers_of(name: str, settings: ModelSettings) -> dict[str, str]:
    """Return the additional headers in the settings.

    Raises:
        SettingsError: a header is invalid.
    """
    headers = settings.options.get("headers", {})
    if not isinstance(headers, Mapping):
        raise SettingsError(
            f"model {name!r}: options.headers must be a mapping", code="model_options"
        )
    for header, value in headers.items():
        if not (isinstance(header, str) and _HEADER_NAME.fullmatch(header)):
            raise SettingsError(
                f"model {name!r}: {header!r} can't be a header's name (letters, digits and -)",
                code="model_options",
            )
        if not (isinstance(value, str) and value.isprintable() and _is_latin(value)):
            raise SettingsError(
                f"model {name!r}: header {header!r} must be one line of Latin letters and signs",
                code="model_options",
            )
    return dict(headers)


def _is_latin(value: str) -> bool:
    """Return whether a text can be sent as a header's value, which is Latin-1."""
    return all(ord(letter) < 256 for letter in value)


def client_of(
    name: str, settings: ModelSettings, supported: tuple[str, ...] = OPTIONS
) -> Literal["own", "openai"]:
    """Return the HTTP client that the settings choose.

    Args:
        name: the model's name as the user gave it.
        settings: the model's settings.
        supported: the options that the settings may have.

    Raises:
        SettingsError: the client or an option is unknown.
    """
    for option in settings.options:
        if option not in supported:
            raise SettingsError(
                f"model {name!r}: unknown option {option!r} (known: {', '.join(supported)})",
                code="model_options",
            )
    client = settings.options.get("client", "own")
    if client not in ("own", "openai"):
        raise SettingsError(
            f"model {name!r}: options.client must be `own` or `openai`", code="model_options"
        )
    return "openai" if client == "openai" else "own"
