"""Makes models at OpenAI, Azure or any server with OpenAI's API."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

from lve.extension_table import extension_part
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.chat import HttpChatModel
from lve.models.http.endpoint import Endpoint
from lve.models.http.wire import Refusable
from lve.models.known_models import api_of
from lve.models.known_tables import Provider
from lve.models.openai.apis import openai_wire, path_failure
from lve.models.openai.embeddings import parse_embeddings
from lve.models.openai.endpoint import azure_endpoint, has_deployment, openai_endpoint
from lve.models.served import http_model

EMBEDDINGS = "/embeddings"


class OpenAIModel(HttpChatModel):
    """A model that also turns texts into vectors, and has a batch API, if the server can."""

    def batch_api(self) -> object:
        """Return the server's batch API.

        Raises:
            UsageError: the server has none at this address.
        """
        return extension_part("batches of OpenAI")(self)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector per text. Makes one attempt."""
        body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        timeout_s = self.endpoint.timeout_s
        response = await self.transport.post(EMBEDDINGS, body, timeout_s=timeout_s)
        if not response.is_success:
            failure = self.failure(response, self._wire, Refusable(body))
            raise path_failure(failure, response, EMBEDDINGS)
        return parse_embeddings(response.body, len(texts), secret=self.endpoint.secret)


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
