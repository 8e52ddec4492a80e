"""Makes models at Amazon Bedrock."""

from __future__ import annotations

import os

from lve.errors import UsageError
from lve.extensions.bedrock.endpoint import bedrock_access, bedrock_endpoint
from lve.extensions.bedrock.transport import BedrockTransport
from lve.extensions.bedrock.wire import BedrockWire
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.served import http_model


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
