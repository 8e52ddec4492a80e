"""Finds the endpoint of a Claude model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lve.errors import SettingsError
from lve.models.http.endpoint import (
    Endpoint,
    checked_url,
    server_endpoint,
    version_of,
    with_version,
)
from lve.models.known_tables import Provider
from lve.settings.model_settings import ModelSettings

VERSION = "2023-06-01"
"""The API's version. The next one, 2026-10-21, refuses `temperature` even for models that accept
it."""
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
    """Return the endpoint of a model at Anthropic; its URL ends in `/v1`. Arguments and errors as
    `lve.models.openai.endpoint.openai_endpoint`."""
    url = base_url or settings.base_url or env.get(home.address_env) or home.base_url
    url = with_version(checked_url(url, name, ("/messages",)), "v1")  # as in Anthropic's client
    return server_endpoint(
        name,
        settings,
        url,
        provider="anthropic",
        is_from_command_line=base_url is not None,
        env=env,
        home=home,
        auth="x-api-key",
        headers={"anthropic-version": version_of(name, settings, VERSION)},
        options=OPTIONS,
    )


def cache_time(name: str, settings: ModelSettings) -> CacheTime | None:
    """Return how long Anthropic shall cache the beginning of prompts, None for not at all.

    Raises:
        SettingsError: the option `prompt_cache` is invalid.
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
