"""Makes Gemini models at Google, and finds their endpoint."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from lve.extensions.gemini.wire import GeminiWire
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.endpoint import (
    Endpoint,
    checked_url,
    server_endpoint,
    version_of,
    with_version,
)
from lve.models.http.keys import key_in
from lve.models.known_tables import Provider
from lve.models.served import http_model
from lve.settings.model_settings import ModelSettings

_PATH = re.compile(r"/models(/[^/]*)?$")
"""The path of a request that may stand at the end of an address."""


def gemini_endpoint(
    name: str,
    settings: ModelSettings,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    home: Provider,
) -> Endpoint:
    """Return the endpoint of a model at Google; its URL ends in the API's version. Arguments and
    errors as `lve.models.openai.endpoint.openai_endpoint`."""
    url = base_url or settings.base_url or env.get(home.address_env) or home.base_url
    url = _PATH.sub("", checked_url(url, name, ("/openai",)))
    url = with_version(url, version_of(name, settings, "v1beta"))
    other = home.other_key_env  # Google's own client reads both
    if key_in(name, home.api_key_env, env) is None and key_in(name, other, env) is not None:
        home = home._replace(api_key_env=other)
    return server_endpoint(
        name,
        settings,
        url,
        provider="gemini",
        is_from_command_line=base_url is not None,
        env=env,
        home=home,
        auth="x-goog-api-key",
    )


def gemini_model(config: ModelConfig, home: Provider) -> ChatModel:
    """Return a model.

    Args:
        config: the model's configuration.
        home: the provider's own server.
    """
    endpoint = gemini_endpoint(
        config.name, config.entry, base_url=config.base_url, env=os.environ, home=home
    )
    return http_model(config, endpoint, GeminiWire(endpoint.model, endpoint.secret))
