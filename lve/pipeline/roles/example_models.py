"""Asks the models that choose few-shot examples, with the engine's cache, budget and limits."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from lve.errors import BudgetError, LveError, TemplateError
from lve.execution.completer import Completer
from lve.execution.limits import BYTES_PER_TOKEN
from lve.execution.stop import StopSignal
from lve.messages import Completion, Usage
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel
from lve.models.scoring import ScoredToken, scored_tokens
from lve.pipeline.threads import compute_in_thread

Result = TypeVar("Result")

BATCH = 128
"""Texts per request for vectors."""
MAX_NUMBERS = 125_000_000
"""Most numbers in the vectors of all examples together."""
NO_ANSWER = {"max_tokens": 1}
"""Args of a request for vectors or scores, so that a budget reserves no tokens for an answer."""


class ExampleModels:
    """The `Ask` of the engine: makes vectors and scores texts."""

    def __init__(
        self,
        completer: Callable[[str], Completer],
        embedder: Callable[[str], Embedder],
        stop_signal: StopSignal,
    ) -> None:
        """Args:
        completer: returns a model's completer, by the model's name.
        embedder: returns a model's embedder, by the model's name.
        stop_signal: the session's stop signal.
        """
        self._completer = completer
        self._embedder = embedder
        self._stop_signal = stop_signal
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ratings: dict[tuple[str, str], asyncio.Future[Completion]] = {}

    async def embed(self, model: str, texts: Sequence[str]) -> list[array[float]]:
        """Return a vector per text. Only one test at a time asks a model: a second one with the
        same examples finds their vectors in the cache.

        Raises:
            TemplateError: the model doesn't give them.
            BudgetError: the session's budget doesn't allow the request.
            Stopped: the session was stopped.
        """
        with _explained("vectors", model):
            async with self._locks[model]:
                embedder = self._embedder(model)
                vectors: list[array[float]] = []
                for start in range(0, len(texts), BATCH):
                    vectors += await embedder.embed(texts[start : start + BATCH])
                    _check_room(len(texts), len(vectors[-1]))
                return vectors

    async def score(self, model: str, texts: Sequence[str]) -> list[tuple[ScoredToken, ...]]:
        """Return the rated tokens of each text; errors as `embed`."""
        with _explained("scores", model):
            completer = self._completer(model)
            ratings = (self._rating(completer, text) for text in texts)
            found = await asyncio.gather(*ratings)
            return [scored_tokens(completion, model) for completion in found]

    def _rating(self, completer: Completer, text: str) -> asyncio.Future[Completion]:
        """Return the future of a text's rating; rows with the same text share one request."""
        key = (completer.model.name, text)
        if key not in self._ratings:
            request = ChatRequest(args=NO_ANSWER, prompt=text, score=True)
            made = asyncio.ensure_future(completer.complete(request))
            made.add_done_callback(lambda _: self._ratings.pop(key, None))
            self._ratings[key] = made
        return self._ratings[key]

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Return the result of a computation that takes long.

        Raises:
            Stopped: the session stops.
        """
        return await compute_in_thread(work, self._stop_signal)


@contextmanager
def _explained(what: str, model: str) -> Iterator[None]:
    """Context manager that turns a model's error into a `TemplateError`."""
    try:
        yield
    except (BudgetError, TemplateError):
        raise
    except LveError as error:
        raise TemplateError(f"no {what} from {model}: {error}", stage="retrieve") from error


def _check_room(count: int, length: int) -> None:
    """Refuse vectors that would need too much memory.

    Args:
        count: number of vectors.
        length: numbers in each.

    Raises:
        TemplateError: they would need too much.
    """
    if count * length > MAX_NUMBERS:
        from lve.prompts.templates.retrievers.example_texts import too_many

        raise too_many(
            f"the vectors of {count:,} texts, of {length:,} numbers each, would take more than "
            f"{MAX_NUMBERS * 8 // 1_000_000_000} GB"
        )


def identity_of_vectors(model: ChatModel) -> Mapping[str, Any] | None:
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
        self._ask = self._vectors

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
