"""Google's Gemini API, as `lve.models.http.chat` wants a wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lve.errors import ModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.gemini.answer import parse_content, parse_models
from lve.models.gemini.args import PROVIDER, RENAMES, args_body
from lve.models.gemini.failures import with_details
from lve.models.gemini.request import contents_body, tools_body
from lve.models.gemini.stream import JoinedContent
from lve.models.http.keys import Secret
from lve.models.http.parts import split_system
from lve.models.http.transport import HttpResponse


class GeminiWire:
    """Writes and reads contents for one model."""

    provider = PROVIDER
    renames: Mapping[str, str] = RENAMES
    takes_system = False
    models_path = "/models?pageSize=1000"

    def __init__(self, model: str) -> None:
        """Args:
        model: the model's name at the server; one with `/`, such as `tunedModels/NAME`, is whole.
        """
        self._model = model
        whole = model if "/" in model else f"models/{model}"
        # The name may come from a test: it mustn't become another path or a header.
        self._path = "/" + "/".join(quote(part, safe="") for part in whole.split("/"))

    def path(self, *, stream: bool) -> str:
        """Return where a request goes."""
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"{self._path}:{verb}"

    def body(self, request: ChatRequest, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request; see `lve.models.http.chat.Wire`."""
        body = args_body(args, self._model)
        system, messages = split_system(request.messages)
        if system:
            body["systemInstruction"] = {"parts": [{"text": "\n\n".join(system)}]}
        if request.tools:
            body["tools"] = tools_body(request.tools)
        body["contents"] = contents_body(messages)
        return body

    def clashing(self, args: Mapping[str, Any]) -> frozenset[str]:
        """Return the args that can't be sent beside the others: none."""
        return frozenset()

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful answer."""
        return parse_content(body, latency_s=latency_s, secret=secret)

    def joined(self) -> JoinedContent:
        """Return what takes the events of a streamed answer."""
        return JoinedContent()

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request."""
        return with_details(failure, response)

    def parse_models(self, body: bytes, *, secret: Secret | None) -> list[str]:
        """Return the names in the server's list of models."""
        return parse_models(body, secret=secret)
