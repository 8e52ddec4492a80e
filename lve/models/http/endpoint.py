"""A model at a server: its URL, key and headers, from the settings and the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from lve.errors import MissingKeyError, SettingsError, UsageError
from lve.models.http.keys import Secret, may_go_to
from lve.models.tables import Provider
from lve.workspace import ModelSettings

DEFAULT_TIMEOUT_S = 120.0
"""Seconds for one attempt."""
NO_KEY = "none"
"""The key for the user's own servers: most require one, few check it."""
OPTIONS = ("client", "headers")
"""Options that all servers have."""
_VERSION = re.compile(r"[A-Za-z0-9.-]{1,40}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""A token of RFC 9110."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server."""

    provider: Literal["openai", "azure", "anthropic", "gemini", "bedrock"]
    base_url: str
    """Without a slash at the end, without credentials."""
    model: str
    """The model's name at the server."""
    secret: Secret
    auth: Literal["bearer", "api-key", "x-api-key", "x-goog-api-key"] = "bearer"
    """How the key is sent: as a bearer's, or in the header of this name."""
    api_version: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers of every request."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    client: Literal["own", "openai"] = "own"
    """Which client to use: lve's own, or the openai package."""

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that can change an answer, for the cache."""
        return {
            "provider": self.provider,
            "base_url": self.base_url,
            "model": self.model,
            "api_version": self.api_version,
        }

    def auth_header(self) -> tuple[str, str]:
        """Return name and value of the header with the key. Never store it."""
        if self.auth == "bearer":
            return "Authorization", f"Bearer {self.secret.reveal()}"
        return self.auth, self.secret.reveal()


def version_of(name: str, settings: ModelSettings, default: str) -> str:
    """Return the API's version, which becomes a header or a part of the address.

    Raises:
        SettingsError: it can't be either.
    """
    version = settings.api_version or default
    if not _VERSION.fullmatch(version):
        raise SettingsError(
            f"model {name!r}: api_version may have letters, digits, - and . only",
            code="model_options",
        )
    return version


def home_key(
    name: str,
    settings: ModelSettings,
    url: str,
    *,
    given: bool,
    env: Mapping[str, str],
    home: Provider,
) -> Secret:
    """Return the key for a server.

    Args:
        name: the model as the user named it.
        settings: the model's settings.
        url: the server's address.
        given: whether the command line names the server.
        env: environment variables.
        home: whose key it is: without other settings, that in its variable is sent.

    Raises:
        MissingKeyError: there is none, and `home` is asked, which needs one.
        SettingsError: the settings would send a well-known key to somebody else's server.
    """
    is_users = given or settings.base_url is None
    if settings.api_key_env:
        return named_key(name, settings.api_key_env, url, is_users=is_users, env=env)
    variable = home.api_key_env
    may_have_it = is_users or may_go_to(variable, url, env)
    if may_have_it and (secret := key_in(name, variable, env)):
        return secret
    if home.needs_key and host_of(url) == host_of(home.base_url):
        raise MissingKeyError(
            f"model {name!r} needs a key: set {variable}, give --base-url for a server of "
            "your own, or use --model replay for the recorded completions"
        )
    return Secret(NO_KEY)


def named_key(
    name: str, variable: str, url: str, *, is_users: bool, env: Mapping[str, str]
) -> Secret:
    """Return the key in a variable that the settings name. `is_users`: the URL is the user's."""
    if not (is_users or may_go_to(variable, url, env)):
        raise SettingsError(
            f"model {name!r}: {variable} is not sent to {url}, which only the settings name: use a "
            f"variable of its own for this server, or give --base-url {url}",
            code="key_withheld",
        )
    secret = key_in(name, variable, env)
    if secret is None:
        raise MissingKeyError(
            f"model {name!r} needs a key: set {variable} (api_key_env in the model's settings), "
            "or use --model replay for the recorded completions"
        )
    return secret


def key_in(name: str, variable: str, env: Mapping[str, str]) -> Secret | None:
    """Return the key in a variable, without white space around it; None if there is none."""
    key = env.get(variable, "").strip()
    if not key:
        return None
    if not (key.isascii() and key.isprintable()):
        raise MissingKeyError(
            f"model {name!r}: the key in {variable} holds characters that no key has; set it again"
        )
    return Secret(key, variable)


def checked_url(url: str, name: str) -> str:
    """Return an address without a slash at its end.

    Raises:
        UsageError: it is none, or holds credentials or a query.
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
    return url.rstrip("/")


def _is_host(host: str | None) -> bool:
    """Whether a host's labels have 1 to 63 characters (RFC 1035); looking up another one raises a
    UnicodeError in Python."""
    labels = (host or "").removesuffix(".").split(".")
    return all(0 < len(label) < 64 for label in labels)


def _not_a_url(name: str) -> UsageError:
    return UsageError(
        f"model {name!r}: the base URL is not one (example: http://localhost:8000/v1)",
        code="base_url",
    )


def host_of(url: str) -> str:
    """Return the host of an address."""
    return urlsplit(url).hostname or ""


def headers_of(name: str, settings: ModelSettings) -> dict[str, str]:
    """Return the additional headers that the settings name.

    Raises:
        SettingsError: they can't be sent.
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
    """Whether a text can be the value of a header, which is sent as Latin-1."""
    return all(ord(letter) < 256 for letter in value)


def client_of(
    name: str, settings: ModelSettings, known: tuple[str, ...] = OPTIONS
) -> Literal["own", "openai"]:
    """Return which client the settings choose.

    Args:
        name: the model as the user named it.
        settings: the model's settings.
        known: the names of the provider's options.

    Raises:
        SettingsError: there is no such client, or no such option.
    """
    for option in settings.options:
        if option not in known:
            raise SettingsError(
                f"model {name!r}: unknown option {option!r} (known: {', '.join(known)})",
                code="model_options",
            )
    client = settings.options.get("client", "own")
    if client not in ("own", "openai"):
        raise SettingsError(
            f"model {name!r}: options.client must be `own` or `openai`", code="model_options"
        )
    return "openai" if client == "openai" else "own"
