"""Finds the endpoint of a Gemini model."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lve.models.http.endpoint import (
    DEFAULT_TIMEOUT_S,
    Endpoint,
    checked_url,
    client_of,
    headers_of,
    home_key,
    key_in,
    version_of,
)
from lve.models.tables import Provider
from lve.workspace import ModelSettings

OTHER_KEY = "GOOGLE_API_KEY"
"""Google's client reads this variable, too."""
_VERSION = re.compile(r"/v[0-9][a-z0-9]*$")


def gemini_endpoint(
    name: str,
    settings: ModelSettings,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    home: Provider,
) -> Endpoint:
    """Find the endpoint; its address ends in the API's version.

    Args:
        name: the model as the user named it.
        settings: the model's settings.
        base_url: from the command line; overrides settings and environment.
        env: environment variables.
        home: Google's own server.

    Raises:
        MissingKeyError: a key is missing.
        UsageError: the base URL isn't valid.
    """
    url = base_url or settings.base_url or env.get("GOOGLE_GEMINI_BASE_URL") or home.base_url
    url = checked_url(url, name)
    if not _VERSION.search(url):
        url += "/" + version_of(name, settings, "v1beta")
    if key_in(name, home.api_key_env, env) is None and key_in(name, OTHER_KEY, env) is not None:
        home = home._replace(api_key_env=OTHER_KEY)
    return Endpoint(
        provider="gemini",
        base_url=url,
        model=settings.model or name.partition("/")[2] or name,
        secret=home_key(name, settings, url, given=base_url is not None, env=env, home=home),
        auth="x-goog-api-key",
        headers=headers_of(name, settings),
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=client_of(name, settings),
    )
