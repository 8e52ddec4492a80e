"""Models at Amazon Bedrock: the Converse API as a `lve.models.http.wire.NativeWire`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lve.errors import UsageError
from lve.extensions.bedrock.answer import ConverseAccumulator, parse_converse
from lve.extensions.bedrock.endpoint import bedrock_access, bedrock_endpoint
from lve.extensions.bedrock.request import PROVIDER, RENAMES, args_body, messages_body, tools_body
from lve.extensions.bedrock.transport import CONVERSE, STREAM, BedrockTransport
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.config import ModelConfig
from lve.models.http.args import SAMPLING_ARGS, turns_reasoning_on
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system
from lve.models.http.wire import NativeWire
from lve.models.served import http_model


class BedrockWire(NativeWire):
    """Writes requests to one model and reads its responses."""

    provider = PROVIDER
    renames: Mapping[str, str] = RENAMES
    takes_system = False
    models_path = "/models"

    def __init__(self, model: str) -> None:
        """Args:
        model: the id of the model or of an inference profile.
        """
        self._model = model

    def path(self, *, stream: bool) -> str:
        """Return the operation, which `BedrockTransport` takes for a path."""
        return STREAM if stream else CONVERSE

    def body(self, request: ChatRequest, args: Mapping[str, object]) -> dict[str, Any]:
        """Return the body of a request; see `lve.models.http.wire.NativeWire`."""
        body = {"modelId": self._model, **args_body(args)}
        system, messages = split_system(request.messages)
        if system:
            body["system"] = [{"text": text} for text in system]
        tools = tools_body(request.tools, args.get("tool_choice")) if request.tools else None
        if tools:
            body["toolConfig"] = tools
        body["messages"] = messages_body(messages)
        return body

    def clashing(self, args: Mapping[str, object]) -> frozenset[str]:
        """Return the args for sampling if a Claude model reasons: they are refused then."""
        reasons = "claude" in self._model and turns_reasoning_on(args.get("thinking"))
        return SAMPLING_ARGS if reasons else frozenset()

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        return parse_converse(body, latency_s=latency_s, secret=secret)

    def accumulator(self) -> ConverseAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return ConverseAccumulator()


def bedrock_model(config: ModelConfig) -> ChatModel:
    """Return a model at Amazon Bedrock."""
    if config.base_url:
        raise UsageError(
            f"model {config.name!r}: --base-url says where no model of Bedrock is; set "
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
            code="base_url",
        )
    access = bedrock_access(config.name, config.entry, env=os.environ)
    endpoint = bedrock_endpoint(config.name, config.entry, access, env=os.environ)
    transport = BedrockTransport(
        access, timeout_s=endpoint.timeout_s, max_connections=config.max_connections
    )
    return http_model(config, endpoint, BedrockWire(endpoint.model), transport)
