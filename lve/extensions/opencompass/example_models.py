"""Asks the models that choose few-shot examples, with the engine's cache, budget and limits."""

from __future__ import annotations

import asyncio
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from lve.errors import BudgetError, LveError, TemplateError
from lve.execution.completer import Completer
from lve.execution.stop import StopSignal
from lve.extensions.opencompass.likelihood import scored_tokens
from lve.extensions.opencompass.retrievers.example_texts import too_many
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.token_scores import ScoredToken
from lve.pipeline.roles.role_models import NO_ANSWER, Embedder
from lve.pipeline.threads import compute_in_thread

Result = TypeVar("Result")

BATCH = 128
"""Texts per request for vectors."""
MAX_NUMBERS = 125_000_000
"""Most numbers in the vectors of all examples together."""


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
            completions = await asyncio.gather(*ratings)
            return [scored_tokens(completion, model) for completion in completions]

    def _rating(self, completer: Completer, text: str) -> asyncio.Future[Completion]:
        """Return the future of a text's rating; rows with the same text share one request."""
        key = (completer.model.name, text)
        if key not in self._ratings:
            request = ChatRequest(args=NO_ANSWER, prompt=text, score=True)
            rating = asyncio.ensure_future(completer.complete(request))
            rating.add_done_callback(lambda _: self._ratings.pop(key, None))
            self._ratings[key] = rating
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
        raise too_many(
            f"the vectors of {count:,} texts, of {length:,} numbers each, would take more than "
            f"{MAX_NUMBERS * 8 // 1_000_000_000} GB"
        )
