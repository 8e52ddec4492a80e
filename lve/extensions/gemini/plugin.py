"""Makes Gemini models at Google."""

from __future__ import annotations

import os

from lve.extensions.gemini.endpoint import gemini_endpoint
from lve.extensions.gemini.wire import GeminiWire
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.served import http_model
from lve.models.tables import Provider


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
