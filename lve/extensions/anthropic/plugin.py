"""Claude models at Anthropic: the Messages API as a `lve.models.http.wire.NativeWire`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lve.extension_table import extension_part
from lve.extensions.anthropic.answer import MessageAccumulator, completion_of
from lve.extensions.anthropic.endpoint import CacheTime, anthropic_endpoint, cache_time
from lve.extensions.anthropic.request_parts import (
    RENAMES,
    args_body,
    messages_body,
    tools_body,
    with_cache,
)
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.config import ModelConfig
from lve.models.http.answers import parse_success
from lve.models.http.args import SAMPLING_ARGS, turns_reasoning_on
from lve.models.http.chat import HttpChatModel
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system
from lve.models.http.wire import NativeWire
from lve.models.known_models import known_model
from lve.models.known_tables import Provider
from lve.models.served import http_model

DEFAULT_MAX_TOKENS = 8192
"""The API requires a limit. For a known model, it is the model's maximum."""


class AnthropicModel(HttpChatModel):
    """A Claude model at Anthropic."""

    def batch_api(self) -> object:
        """Return the server's batch API."""
        return extension_part("batches of Anthropic")(self)


class AnthropicWire(NativeWire):
    """Writes requests to one model and reads its responses."""

    provider = "Anthropic"
    renames: Mapping[str, str] = RENAMES
    takes_system = True
    models_path = "/models?limit=1000"

    def __init__(
        self, model: str, *, max_tokens: int | None = None, cache: CacheTime | None = None
    ) -> None:
        """Args:
        model: the model's name at the server.
        max_tokens: the limit of requests that set none.
        cache: how long the provider shall cache the beginning of prompts.
        """
        self._model = model
        self._max_tokens = max_tokens or DEFAULT_MAX_TOKENS
        self._cache = cache

    def path(self, *, stream: bool) -> str:
        """Return the path of a request."""
        return "/messages"

    def body(self, request: ChatRequest, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request; see `lve.models.http.wire.NativeWire`."""
        body: dict[str, Any] = {"model": self._model, "max_tokens": self._max_tokens}
        body |= args_body(args)
        system, messages = split_system(request.messages)
        if system:
            body["system"] = "\n\n".join(system)
        if request.tools:
            body["tools"] = tools_body(request.tools)
        body["messages"] = messages_body(messages)
        if request.stream:
            body["stream"] = True
        return with_cache(body, self._cache)

    def clashing(self, args: Mapping[str, object]) -> frozenset[str]:
        """Return the args for sampling if the model reasons: they are refused then."""
        return SAMPLING_ARGS if turns_reasoning_on(args.get("thinking")) else frozenset()

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        data = parse_success(body, secret=secret)
        return completion_of(data, latency_s=latency_s, secret=secret)

    def accumulator(self) -> MessageAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return MessageAccumulator()


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
