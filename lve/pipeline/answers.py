"""What choosing examples takes from models: asked for with the engine's cache, budget, limits."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lve.errors import BudgetError, LveError, TemplateError
from lve.execution.executor import Complete
from lve.execution.limits import BYTES_PER_TOKEN
from lve.messages import Completion, Usage
from lve.models.base import ChatModel, ChatRequest, EmbeddingModel
from lve.prompts.wanted import AnswersWanted

if TYPE_CHECKING:
    from lve.pipeline.engine import Engine

BATCH = 128
"""Texts per request for vectors."""
NO_ANSWER: Mapping[str, Any] = {"max_tokens": 1}
"""Neither vectors nor ratings have an answer that a budget must reserve tokens for."""


class VectorModel:
    """An embedding model as one that completes: its prompt is a JSON list of texts, its answer
    their vectors. So everything that holds for completions holds for vectors too."""

    def __init__(self, model: ChatModel) -> None:
        """Args:
        model: its own completer closes it.

        Raises:
            TemplateError: it makes no vectors.
        """
        if not isinstance(model, EmbeddingModel):
            raise TemplateError(f"{model.name} makes no embeddings", stage="retriever")
        self.name = model.name
        self.identity = None if model.identity is None else {**model.identity, "gives": "vectors"}
        self._model = model

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the vectors of the texts in `request.prompt`."""
        texts: list[str] = json.loads(request.prompt or "[]")
        vectors = await self._model.embed(texts)
        # Servers don't agree in how they count; a rough number keeps budgets going.
        usage = Usage(sum(len(text) // BYTES_PER_TOKEN + 1 for text in texts), 0)
        return Completion(json.dumps(vectors), usage=usage)

    async def aclose(self) -> None:
        """Do nothing: the model is closed elsewhere."""


class Answerer:
    """Supplies what plans want; each text is asked for once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ratings: dict[tuple[str, str], asyncio.Future[Completion]] = {}

    async def supply(self, wanted: AnswersWanted) -> None:
        """Ask the model for the missing answers and hand them over.

        Raises:
            TemplateError: they can't be had.
            BudgetError: the session's budget doesn't allow it.
            Stopped: the session stops sending.
        """
        answers = wanted.answers
        try:
            if answers.kind == "scores":
                texts = answers.missing(wanted.texts)
                answers.supply(texts, await self._rated(answers.model, texts))
                return
            async with self._locks[answers.model]:  # All rows want the examples' vectors at once.
                texts = answers.missing(wanted.texts)
                answers.supply(texts, await self._vectors(answers.model, texts))
        except (BudgetError, TemplateError):
            raise
        except LveError as error:
            message = f"no {answers.kind} from {answers.model}: {error}"
            raise TemplateError(message, stage="retrieve") from error

    async def _rated(self, model: str, texts: Sequence[str]) -> list[Completion]:
        self._engine.prepare_model(model)
        complete = self._engine.completers[model].complete
        return list(await asyncio.gather(*(self._rating(complete, model, text) for text in texts)))

    def _rating(self, complete: Complete, model: str, text: str) -> asyncio.Future[Completion]:
        """Return the rating that is under way for a text, or ask for it: rows have texts in
        common."""
        key = (model, text)
        if key not in self._ratings:
            request = ChatRequest(args=NO_ANSWER, prompt=text, score=True)
            made = asyncio.ensure_future(complete(request))
            made.add_done_callback(lambda _: self._ratings.pop(key, None))
            self._ratings[key] = made
        return self._ratings[key]

    async def _vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        completer = self._engine.vector_completer(model)
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            prompt = json.dumps(texts[start : start + BATCH])
            completion = await completer.complete(ChatRequest(args=NO_ANSWER, prompt=prompt))
            vectors += json.loads(completion.text)
        return vectors
