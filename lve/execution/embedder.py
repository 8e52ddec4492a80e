"""Gets vectors from an embedding model through cache, limits, retries and budget."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

from lve.execution.completer import Completer
from lve.execution.limits import BYTES_PER_TOKEN
from lve.messages import Completion, Usage
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel

NO_ANSWER = {"max_tokens": 1}
"""Args of a request for vectors or ratings: a budget reserves no tokens for an answer."""


class Embedder(Completer):
    """Gets vectors from one model, as a completer gets completions.

    In the cache, a request is a JSON list of texts and its answer a JSON list of vectors.
    """

    def __init__(self, model: ChatModel, **options: Any) -> None:
        """Args:
        model: a model that is also an `EmbeddingModel`.
        options: the options of `Completer`.
        """
        super().__init__(model, **options)
        assert isinstance(model, EmbeddingModel)
        self._embed = model.embed
        self._ask = self._vectors

    async def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return one vector per text, in their order.

        Raises:
            ModelError, BudgetError, Stopped: as `complete`.
        """
        request = ChatRequest(args=NO_ANSWER, prompt=json.dumps(list(texts)))
        completion = await self.complete(request)
        return [array("d", vector) for vector in json.loads(completion.text)]

    async def _vectors(self, request: ChatRequest) -> Completion:
        texts: list[str] = json.loads(request.prompt or "[]")
        vectors = await self._embed(texts)
        # Servers count differently; an estimate is enough for the budget.
        usage = Usage(sum(len(text) // BYTES_PER_TOKEN + 1 for text in texts), 0)
        return Completion(json.dumps(vectors), usage=usage)

    async def close(self) -> None:
        """Do nothing: the model's completer closes it."""
