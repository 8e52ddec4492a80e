"""Finds the endpoint of a Claude model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lve.errors import SettingsError
from lve.models.http.endpoint import (
    DEFAULT_TIMEOUT_S,
    Endpoint,
    checked_url,
    client_of,
    headers_of,
    home_key,
    version_of,
)
from lve.models.tables import Provider
from lve.workspace import ModelSettings

VERSION = "2023-06-01"
"""Of the API. The next one, 2026-10-21, refuses `temperature` of models that take it."""
OPTIONS = ("client", "headers", "prompt_cache")
CacheTime = Literal["5m", "1h"]


def anthropic_endpoint(
    name: str,
    settings: ModelSettings,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    home: Provider,
) -> Endpoint:
    """Find the endpoint; its address ends in `/v1`.

    Args:
        name: the model as the user named it.
        settings: the model's settings.
        base_url: from the command line; overrides settings and environment.
        env: environment variables.
        home: Anthropic's own server.

    Raises:
        MissingKeyError: a key is missing.
        UsageError: the base URL isn't valid.
    """
    in_environment = env.get("ANTHROPIC_BASE_URL")
    if in_environment:  # the variable's meaning in Anthropic's own client
        in_environment = in_environment.rstrip("/").removesuffix("/v1") + "/v1"
    url = checked_url(base_url or settings.base_url or in_environment or home.base_url, name)
    version = version_of(name, settings, VERSION)
    return Endpoint(
        provider="anthropic",
        base_url=url,
        model=settings.model or name.partition("/")[2] or name,
        secret=home_key(name, settings, url, given=base_url is not None, env=env, home=home),
        auth="x-api-key",
        headers={"anthropic-version": version, **headers_of(name, settings)},
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=client_of(name, settings, OPTIONS),
    )


def cache_time(name: str, settings: ModelSettings) -> CacheTime | None:
    """Return how long Anthropic keeps the beginning of prompts, None if it isn't asked to.

    Raises:
        SettingsError: the option can't be used.
    """
    value = settings.options.get("prompt_cache")
    if value is None or value is False:
        return None
    if value in ("5m", "1h"):
        return "1h" if value == "1h" else "5m"
    raise SettingsError(
        f"model {name!r}: options.prompt_cache must be `5m` or `1h`, not {value!r}",
        code="model_options",
    )
