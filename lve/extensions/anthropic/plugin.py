"""Makes Claude models at Anthropic."""

from __future__ import annotations

import os

from lve.extensions.anthropic.endpoint import anthropic_endpoint, cache_time
from lve.extensions.anthropic.wire import AnthropicModel, AnthropicWire
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.known_models import known_model
from lve.models.known_tables import Provider
from lve.models.served import http_model


def anthropic_model(config: ModelConfig, home: Provider) -> ChatModel:
    """Return a model.

    Args:
        config: the model's configuration.
        home: the provider's own server.
    """
    name, entry = config.name, config.entry
    endpoint = anthropic_endpoint(name, entry, base_url=config.base_url, env=os.environ, home=home)
    model = known_model(name, config.settings)
    max_tokens = model.max_output if model else None
    wire = AnthropicWire(endpoint.model, max_tokens=max_tokens, cache=cache_time(name, entry))
    return http_model(config, endpoint, wire, kind=AnthropicModel)
