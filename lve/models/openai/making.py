"""Makes models at OpenAI, Azure, and servers with the same API."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.endpoint import Endpoint
from lve.models.known import api_of
from lve.models.openai.apis import openai_wire
from lve.models.openai.endpoint import azure_endpoint, has_deployment, openai_endpoint
from lve.models.openai.model import OpenAIModel
from lve.models.served import http_model
from lve.models.tables import Provider


def openai_model(config: ModelConfig, home: Provider | None = None) -> ChatModel:
    """Return a model at OpenAI, or at a server with the same API.

    Args:
        config: the model's configuration.
        home: the known server (`groq/NAME`), if it is one.
    """
    make = openai_endpoint if home is None else partial(openai_endpoint, home=home)
    return _model_at(config, make)


def azure_model(config: ModelConfig) -> ChatModel:
    """Return a model at Azure OpenAI."""
    return _model_at(config, azure_endpoint)


def _model_at(config: ModelConfig, make: Callable[..., Endpoint]) -> ChatModel:
    config.refuse_foreign_key()
    api = api_of(config.name, config.settings)
    # On Azure, the address depends on the API.
    entry = config.entry._replace(api=api)
    endpoint = make(config.name, entry, base_url=config.base_url, env=os.environ)
    is_fixed = config.entry.api is not None or has_deployment(endpoint)
    wire = openai_wire(endpoint.model, api, is_fixed=is_fixed)
    return http_model(config, endpoint, wire, kind=OpenAIModel)
