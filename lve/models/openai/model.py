"""Makes models at OpenAI, Azure or any server with OpenAI's API; reads embeddings."""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from lve.extension_table import extension_part
from lve.json_types import JsonValue
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.answers import parse_success
from lve.models.http.chat import HttpChatModel
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import malformed
from lve.models.http.keys import Secret
from lve.models.http.wire import Refusable
from lve.models.known_models import api_of
from lve.models.known_tables import Provider
from lve.models.openai.apis import openai_wire, path_failure
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


MAX_VECTOR_LENGTH = 1 << 16
"""Maximum length of an embedding; the longest known one has 12,288 numbers."""
MAX_VECTOR_VALUE = 1e100
"""Maximum absolute value in an embedding: squares of larger ones may overflow."""


def parse_embeddings(body: bytes, count: int, *, secret: Secret | None = None) -> list[list[float]]:
    """Return the vectors in the body of a successful response, in the order of the texts.

    Args:
        body: the body.
        count: the number of texts.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: the body is malformed, or doesn't have one vector per text.
    """
    data = parse_success(body, secret=secret)
    try:
        listed: Any = data["data"]  # whatever it is, it fails below
        items = _in_order(listed)
        vectors = [_vector(item["embedding"]) for item in items[: count + 1]]
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise malformed("the embeddings are not lists of numbers") from None
    if len(items) != count or len({len(vector) for vector in vectors}) > 1:
        raise malformed(f"{len(items)} embeddings for {count} texts, or of different lengths")
    return vectors


def _in_order(listed: Any) -> list[Any]:
    """Return embeddings in the order of their indexes; unless each has its own, as listed."""
    try:
        indexes = [int(item["index"]) for item in listed]
    except (KeyError, TypeError, ValueError, OverflowError):
        return [*listed]
    if len({*indexes}) < len(indexes):
        return [*listed]
    return [item for _, item in sorted(zip(indexes, listed, strict=True), key=itemgetter(0))]


def _vector(numbers: JsonValue) -> list[float]:
    if isinstance(numbers, str):  # 32-bit numbers in base64, as OpenAI's package asks for
        numbers = [*memoryview(b64decode(numbers, validate=True)).cast("f")]
    if isinstance(numbers, list) and len(numbers) == 1 and isinstance(numbers[0], list):
        numbers = numbers[0]  # as llama.cpp has them
    if not isinstance(numbers, list) or len(numbers) > MAX_VECTOR_LENGTH:
        raise ValueError
    vector = [float(number) for number in numbers]
    # NaN, infinity and numbers that overflow would make all distances meaningless.
    if not all(-MAX_VECTOR_VALUE <= number <= MAX_VECTOR_VALUE for number in vector):
        raise ValueError
    return vector
