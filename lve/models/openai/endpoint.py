"""Finds a model's endpoint (URL, key, headers) from its name, the settings and the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from lve.errors import MissingKeyError, SettingsError, UnknownModelError, UsageError
from lve.models.known import Provider
from lve.models.openai.keys import Secret, may_go_to
from lve.workspace import ModelSettings

OPENAI_URL = "https://api.openai.com/v1"
OPENAI = Provider(
    OPENAI_URL, "OPENAI_API_KEY", True, "https://developers.openai.com/api/reference/overview"
)
DEFAULT_TIMEOUT_S = 120.0
"""Seconds for one attempt."""
NO_KEY = "none"
"""The key for the user's own servers: most require one, few check it."""
_OPTIONS = ("client", "headers")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""A token of RFC 9110."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server."""

    provider: Literal["openai", "azure"]
    base_url: str
    """Without a slash at the end, without credentials."""
    model: str
    """The model's name at the server."""
    secret: Secret
    auth: Literal["bearer", "api-key"] = "bearer"
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
        if self.auth == "api-key":
            return "api-key", self.secret.reveal()
        return "Authorization", f"Bearer {self.secret.reveal()}"


def openai_endpoint(
    name: str,
    settings: ModelSettings,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    home: Provider = OPENAI,
) -> Endpoint:
    """Find an OpenAI-compatible endpoint.

    Args:
        name: the model as the user named it.
        settings: the model's settings.
        base_url: from the command line; overrides settings and environment.
        env: environment variables.
        home: the server where the model is unless something else is said.

    Raises:
        MissingKeyError: a key is missing.
        UsageError: the base URL isn't valid.
    """
    in_environment = env.get("OPENAI_BASE_URL") if home is OPENAI else None
    url = base_url or settings.base_url or in_environment or home.base_url
    url = _checked_url(url, name)
    return Endpoint(
        provider="openai",
        base_url=url,
        model=settings.model or name.partition("/")[2] or name,
        secret=_openai_key(name, settings, url, given=base_url is not None, env=env, home=home),
        api_version=settings.api_version,
        headers={**_organisation(url, env), **_headers(name, settings)},
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=_client(name, settings),
    )


def azure_endpoint(
    name: str, settings: ModelSettings, *, base_url: str | None, env: Mapping[str, str]
) -> Endpoint:
    """Find a deployment on Azure OpenAI. The URL is that of the deployment if there is an
    api_version, and `/openai/v1` otherwise. Arguments and errors as in `openai_endpoint`."""
    resource = base_url or settings.base_url or env.get("AZURE_OPENAI_ENDPOINT")
    if not resource:
        raise UnknownModelError(
            f"model {name!r} has no endpoint: set AZURE_OPENAI_ENDPOINT, give --base-url, "
            "or set base_url in the model's settings"
        )
    resource = _checked_url(resource, name)
    model = settings.model or name.partition("/")[2] or name
    version = settings.api_version or env.get("OPENAI_API_VERSION")
    secret, auth = _azure_key(name, settings, resource, given=base_url is not None, env=env)
    below = f"/openai/deployments/{model}" if version else "/openai/v1"
    return Endpoint(
        provider="azure",
        base_url=resource.removesuffix("/openai/v1").removesuffix("/openai") + below,
        model=model,
        secret=secret,
        auth=auth,
        api_version=version,
        headers=_headers(name, settings),
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=_client(name, settings),
    )


def _openai_key(
    name: str,
    settings: ModelSettings,
    url: str,
    *,
    given: bool,
    env: Mapping[str, str],
    home: Provider,
) -> Secret:
    is_users = given or settings.base_url is None
    if settings.api_key_env:
        return _named_key(name, settings.api_key_env, url, is_users=is_users, env=env)
    variable = home.api_key_env
    may_have_it = is_users or may_go_to(variable, url, env)
    if may_have_it and (secret := _key(name, variable, env)):
        return secret
    if home.needs_key and _host(url) == _host(home.base_url):
        raise MissingKeyError(
            f"model {name!r} needs a key: set {variable}, give --base-url for a server of "
            "your own, or use --model replay for the recorded completions"
        )
    return Secret(NO_KEY)


def _azure_key(
    name: str, settings: ModelSettings, url: str, *, given: bool, env: Mapping[str, str]
) -> tuple[Secret, Literal["bearer", "api-key"]]:
    is_users = given or settings.base_url is None
    if settings.api_key_env:
        key = _named_key(name, settings.api_key_env, url, is_users=is_users, env=env)
        return key, "api-key"
    if is_users or may_go_to("AZURE_OPENAI_API_KEY", url, env):
        if token := _key(name, "AZURE_OPENAI_AD_TOKEN", env):
            return token, "bearer"
        if secret := _key(name, "AZURE_OPENAI_API_KEY", env):
            return secret, "api-key"
    raise MissingKeyError(
        f"model {name!r} needs a key: set AZURE_OPENAI_API_KEY (or AZURE_OPENAI_AD_TOKEN), or "
        "name the variable with api_key_env in the model's settings"
    )


def _named_key(
    name: str, variable: str, url: str, *, is_users: bool, env: Mapping[str, str]
) -> Secret:
    """Return the key in a variable that the settings name. `is_users`: the URL is the user's."""
    if not (is_users or may_go_to(variable, url, env)):
        raise SettingsError(
            f"model {name!r}: {variable} is not sent to {url}, which only the settings name: use a "
            f"variable of its own for this server, or give --base-url {url}"
        )
    secret = _key(name, variable, env)
    if secret is None:
        raise MissingKeyError(
            f"model {name!r} needs a key: set {variable} (api_key_env in the model's settings), "
            "or use --model replay for the recorded completions"
        )
    return secret


def _key(name: str, variable: str, env: Mapping[str, str]) -> Secret | None:
    """Return the key in a variable, without white space around it; None if there is none."""
    key = env.get(variable, "").strip()
    if not key:
        return None
    if not (key.isascii() and key.isprintable()):
        raise MissingKeyError(
            f"model {name!r}: the key in {variable} holds characters that no key has; set it again"
        )
    return Secret(key)


def _checked_url(url: str, name: str) -> str:
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and parts.port != 0 and _is_host(parts.hostname)
    except ValueError:
        raise _not_a_url(name) from None
    if parts.username or parts.password:
        raise UsageError(
            f"model {name!r}: a base URL must not hold credentials; put the key into a variable "
            "and name it with api_key_env in the model's settings"
        )
    if parts.query or parts.fragment:
        raise UsageError(
            f"model {name!r}: the base URL must not have a query (there is api_version)"
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
        f"model {name!r}: the base URL is not one (example: http://localhost:8000/v1)"
    )


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _organisation(url: str, env: Mapping[str, str]) -> dict[str, str]:
    if _host(url) != _host(OPENAI_URL):
        return {}
    known = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
    return {header: env[name] for header, name in known.items() if env.get(name)}


def _headers(name: str, settings: ModelSettings) -> dict[str, str]:
    headers = settings.options.get("headers", {})
    if not isinstance(headers, Mapping):
        raise SettingsError(f"model {name!r}: options.headers must be a mapping")
    for header, value in headers.items():
        if not (isinstance(header, str) and _HEADER_NAME.fullmatch(header)):
            raise SettingsError(
                f"model {name!r}: {header!r} can't be a header's name (letters, digits and -)"
            )
        if not (isinstance(value, str) and value.isprintable() and _is_latin(value)):
            raise SettingsError(
                f"model {name!r}: header {header!r} must be one line of Latin letters and signs"
            )
    return dict(headers)


def _is_latin(value: str) -> bool:
    """Whether a text can be the value of a header, which is sent as Latin-1."""
    return all(ord(letter) < 256 for letter in value)


def _client(name: str, settings: ModelSettings) -> Literal["own", "openai"]:
    for option in settings.options:
        if option not in _OPTIONS:
            raise SettingsError(
                f"model {name!r}: unknown option {option!r} (known: {', '.join(_OPTIONS)})"
            )
    client = settings.options.get("client", "own")
    if client not in ("own", "openai"):
        raise SettingsError(f"model {name!r}: options.client must be `own` or `openai`")
    return "openai" if client == "openai" else "own"
