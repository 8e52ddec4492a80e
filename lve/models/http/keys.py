"""Protects API keys: they can't be printed by accident, and well-known ones are sent only to
their issuer.

`lve.yaml` names a model's server and the environment variable with its key. In a cloned repository,
these settings aren't trusted. So a key in a well-known variable is sent only to its issuer, or to a
server that the user names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from lve.errors import MissingKeyError, SettingsError
from lve.models.known_tables import Provider, shipped_table
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import ModelSettings

NO_KEY = "none"
"""The key that is sent to the user's own servers: most require one, few check it."""
_HOMES = "key_homes.json"
"""The file of this package with the prefixes of variables' names -> the issuer's hosts, whose
subdomains count, too. Only hosts below which nobody else can have servers, unlike
`cloudapp.azure.com`. Those of further providers are in the table of known models."""
_NAMED_BY_THE_USER = {"AZURE_": "AZURE_OPENAI_ENDPOINT", "OPENAI_": "OPENAI_BASE_URL"}
"""Prefix of a variable's name -> the variable in which the user can name another server."""


def may_be_sent_to(variable: str, url: str, env: Mapping[str, str]) -> bool:
    """Return whether the key in `variable` may be sent to a server that only the settings name.

    That is so if the variable isn't well-known, or if the server is the issuer's or one that the
    user names in the environment.

    Args:
        variable: the name of an environment variable.
        url: the server's address.
        env: environment variables.
    """
    family = next((of for of in _families() if variable.upper().startswith(of.prefix)), None)
    if family is None:
        return True
    address = env.get(family.address_env, "")
    return _is_home(url, family.hosts) or (bool(address) and _origin(address) == _origin(url))


class _Family(NamedTuple):
    """Variables whose names begin alike, which hold keys of one issuer."""

    prefix: str
    hosts: Sequence[str]
    address_env: str
    """The variable in which the user can name another server."""


@cache
def _families() -> Sequence[_Family]:
    """Return all families of well-known variables."""
    homes = json.loads(Path(__file__).with_name(_HOMES).read_bytes())
    families = [_Family(name, homes[name], _NAMED_BY_THE_USER.get(name, "")) for name in homes]
    for server in shipped_table().providers.values():
        own = server.api_key_env.partition("_")[0] + "_"
        prefixes = (own, *server.key_prefixes)
        families += [_Family(prefix, server.hosts, server.address_env) for prefix in prefixes]
    return families


def _is_home(url: str, hosts: Sequence[str]) -> bool:
    """Return whether a URL uses HTTPS and is at one of the hosts or a subdomain."""
    scheme, host, _ = _origin(url)
    return scheme == "https" and any(f".{host}".endswith(f".{home}") for home in hosts)


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname or "", parts.port or default
    except ValueError:  # the variable doesn't hold a URL
        return "", "", None


class Secret:
    """A key; only `reveal` returns it."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str | None = None) -> None:
        """Args:
        value: the key.
        variable: the environment variable that holds it; None for lve's placeholder.
        """
        self._value = value
        self.variable = variable

    def reveal(self) -> str:
        """Return the key, to send it."""
        return self._value

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the key replaced by `***`."""
        # Placeholder keys such as `none` are common words: replacing them would garble messages.
        return text.replace(self._value, "***") if len(self._value) >= 8 else text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret can't be pickled")


def provider_key(
    name: str,
    settings: ModelSettings,
    url: str,
    *,
    is_from_command_line: bool,
    env: Mapping[str, str],
    home: Provider,
) -> Secret:
    """Return the key to send to a server.

    Args:
        name: the model's name as the user gave it.
        settings: the model's settings.
        url: the server's address.
        is_from_command_line: whether the command line names the server.
        env: environment variables.
        home: the provider's own server, with the variable of its key.

    Raises:
        MissingKeyError: there is no key, and the server is the provider's own, which needs one.
        SettingsError: the settings would send a well-known key to another server.
    """
    is_users = is_from_command_line or settings.base_url is None
    if settings.api_key_env:
        return named_key(name, settings.api_key_env, url, is_users=is_users, env=env)
    variable = home.api_key_env
    may_send = is_users or may_be_sent_to(variable, url, env)
    if may_send and (secret := key_in(name, variable, env)):
        return secret
    if home.needs_key and _origin(url)[1] == _origin(home.base_url)[1]:
        raise MissingKeyError(
            f"model {name!r} needs a key. Three ways:\n  {variable}=KEY in the environment,\n"
            "  --base-url http://localhost:8000/v1 for your server (a judge's: in lve.yaml),\n"
            "  --model replay for the recorded answers, offline"
        )
    return Secret(NO_KEY)


def named_key(
    name: str, variable: str, url: str, *, is_users: bool, env: Mapping[str, str]
) -> Secret:
    """Return the key in the environment variable that the settings name.

    Args:
        name: the model's name as the user gave it.
        variable: the variable's name.
        url: the server's address.
        is_users: whether the user chose the server, not the settings.
        env: environment variables.

    Raises:
        MissingKeyError: the variable is empty.
        SettingsError: the key is well-known, and the server isn't its issuer's.
    """
    if not (is_users or may_be_sent_to(variable, url, env)):
        raise SettingsError(
            f"model {name!r}: {variable} is not sent to {url}, which only the settings name: use a "
            f"variable of its own for this server, or give --base-url {url}",
            code="key_withheld",
        )
    secret = key_in(name, variable, env)
    if secret is None:
        raise MissingKeyError(
            f"model {name!r} needs a key: set {variable} (api_key_env in the model's settings), "
            "or use --model replay for the recorded answers"
        )
    return secret


def key_in(name: str, variable: str, env: Mapping[str, str]) -> Secret | None:
    """Return the key in an environment variable, stripped; None if it is empty."""
    key = env.get(variable, "").strip()
    if not key:
        return None
    if not (key.isascii() and key.isprintable()):
        raise MissingKeyError(
            f"model {name!r}: the key in {variable} holds characters that no key has; set it again"
        )
    return Secret(key, variable)
