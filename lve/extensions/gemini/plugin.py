"""Gemini models at Google: their API as a `lve.models.http.wire.NativeWire`, and their endpoint."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError, TransientModelError
from lve.extensions.gemini.answer import ContentAccumulator, completion_of, parse_models
from lve.extensions.gemini.request_parts import (
    PROVIDER,
    RENAMES,
    args_body,
    contents_body,
    tools_body,
)
from lve.json_types import JsonObject
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.config import ModelConfig
from lve.models.http.answers import parse_success
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.endpoint import (
    Endpoint,
    checked_url,
    server_endpoint,
    version_of,
    with_version,
)
from lve.models.http.failures import error_object
from lve.models.http.json_body import objects
from lve.models.http.keys import Secret, key_in
from lve.models.http.parts import split_system
from lve.models.http.retry_after_header import duration_s
from lve.models.http.wire import NativeWire
from lve.models.known_tables import Provider
from lve.models.served import http_model
from lve.settings.model_settings import ModelSettings

ASKS_FOR_KEY = "?key="
"""What servers of others say where they take the key only as Google's first examples sent it."""


class GeminiWire(NativeWire):
    """Writes requests to one model and reads its responses."""

    provider = PROVIDER
    renames: Mapping[str, str] = RENAMES
    takes_system = False
    models_path = "/models?pageSize=1000"
    address_end = "/v1beta"

    def __init__(self, model: str, secret: Secret | None = None) -> None:
        """Args:
        model: the model's name at the server. One with a `/`, such as `tunedModels/NAME`, is the
            whole path.
        secret: the key, which is sent in a header, unless a server asks for `?key=`.
        """
        self._key = "" if secret is None else "key=" + quote(secret.reveal(), safe="")
        self._query = ""
        self._model = model
        whole = model if "/" in model else f"models/{model}"
        # Quoted: the name may come from a test, and must not change the path or add a header.
        self._path = "/" + "/".join(quote(part, safe=":") for part in whole.split("/"))

    def path(self, *, stream: bool) -> str:
        """Return the path of a request."""
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        query = f"{'&' if stream else '?'}{self._query}" if self._query else ""
        return f"{self._path}:{verb}{query}"

    def body(self, request: ChatRequest, args: Mapping[str, object]) -> dict[str, Any]:
        """Return the body of a request; see `lve.models.http.wire.NativeWire`."""
        body = args_body(args, self._model)
        system, messages = split_system(request.messages)
        if system:
            body["systemInstruction"] = {"parts": [{"text": "\n\n".join(system)}]}
        if request.tools:
            body["tools"] = tools_body(request.tools)
        body["contents"] = contents_body(messages)
        return body

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        data = parse_success(body, secret=secret)
        return completion_of(data, latency_s=latency_s, secret=secret)

    def accumulator(self) -> ContentAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return ContentAccumulator()

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request, by its details: a wrong key, an exhausted daily
        quota, the delay before a retry."""
        error = error_object(response.body)
        if response.status == 401 and ASKS_FOR_KEY in str(error.get("message")) and self._key:
            self._query = self._key
            return AdjustedRequestError(str(failure), kind="adjusted", status=401)
        details = objects(error.get("details"))
        if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
            message = f"{failure} (check the API key)"
            return PermanentModelError(message, kind="authentication", status=failure.status)
        if not isinstance(failure, TransientModelError) or failure.status != 429:
            return failure
        if any(map(_is_daily_quota, details)):
            message = f"{failure} (today's quota is used up: a later try today fails too)"
            return PermanentModelError(message, kind="quota", status=failure.status)
        if failure.retry_after_s is None:
            waits = (duration_s(str(detail.get("retryDelay", ""))) for detail in details)
            failure.retry_after_s = max((wait for wait in waits if wait is not None), default=None)
        return failure

    def parse_models(self, body: bytes, *, secret: Secret | None) -> list[str]:
        """Return the names in a list of models."""
        return parse_models(body, secret=secret)


def _is_daily_quota(detail: JsonObject) -> bool:
    violations = objects(detail.get("violations"))
    return any("PerDay" in str(violation.get("quotaId")) for violation in violations)


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
