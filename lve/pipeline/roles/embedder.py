"""Gets vectors from models, with the engine's cache, budget and limits."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lve.errors import TemplateError
from lve.execution.completer import Completer
from lve.execution.request_limits import BYTES_PER_TOKEN
from lve.messages import Completion, Usage
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel

NO_ANSWER = {"max_tokens": 1}
"""Args of a request for vectors or scores, so that a budget reserves no tokens for an answer."""


def identity_of_vectors(model: ChatModel) -> Mapping[str, object] | None:
    """Return the identity of a model for the cache keys of its vectors; None if it has none.

    Raises:
        TemplateError: the model makes no vectors.
    """
    if not isinstance(model, EmbeddingModel):
        raise TemplateError(f"{model.name} makes no embeddings", stage="retriever")
    return None if model.identity is None else {**model.identity, "gives": "vectors"}


class Embedder(Completer):
    """Gets vectors from one model, as a completer gets completions.

    In the cache, the prompt of a request is a JSON list of texts, its answer a JSON list of
    vectors.
    """

    def __init__(self, model: ChatModel, **options: Any) -> None:
        """Args:
        model: a model that is also an `EmbeddingModel`.
        options: the other arguments of `Completer`.
        """
        super().__init__(model, **options)
        assert isinstance(model, EmbeddingModel)
        self._embed = model.embed
        self.caller.ask = self._vectors

    async def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return one vector per text, in their order.

        Raises:
            ModelError, BudgetError, Stopped: as `complete`.
        """
        return (await self.embed_with_usage(texts))[0]

    async def embed_with_usage(self, texts: Sequence[str]) -> tuple[list[array[float]], Completion]:
        """Return one vector per text, and the completion with their usage; errors as `embed`."""
        request = ChatRequest(args=NO_ANSWER, prompt=json.dumps(list(texts)))
        completion = await self.complete(request)
        vectors = json.loads(completion.text)
        return [array("d", vector) for vector in vectors], completion

    async def _vectors(self, request: ChatRequest) -> Completion:
        texts: list[str] = json.loads(request.prompt or "[]")
        vectors = await self._embed(texts)
        # Servers count differently; an estimate is enough for the budget.
        usage = Usage(sum(len(text) // BYTES_PER_TOKEN + 1 for text in texts), 0)
        return Completion(json.dumps(vectors), usage=usage)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Do nothing: the model's completer closes it."""
