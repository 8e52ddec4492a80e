"""Creates the completers and worker pools that use models' batch APIs (`--batch`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from lve.errors import AdjustedRequestError, UsageError
from lve.execution.budgets.budget import Budget
from lve.execution.cache.contract import CompletionStore
from lve.execution.cache.key import key_maker
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import Attempts, RetryPolicy
from lve.execution.stop import StopSignal
from lve.execution.workers import Execute, WorkerPool
from lve.extensions.batch.api import BatchModel
from lve.extensions.batch.collector import BatchCollector
from lve.extensions.batch.log import BatchLog
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest
from lve.options.run_options import RunOptions
from lve.settings.model_settings import Price

WIDTH = 50_000
"""Most instances of a model that wait for batches at the same time."""
POLICY = RetryPolicy(max_attempts=3, base_s=0.1, cap_s=1.0, deadline_s=1e9)
"""A failed request becomes part of the next batch, at most twice."""
Item = TypeVar("Item")


class BatchCompleter(Completer):
    """Gets completions from one model in batches: cached, retried, within the budget."""

    def __init__(self, model: ChatModel, *, collector: BatchCollector, **arguments: Any) -> None:
        """Args:
        model: the model.
        collector: collects the requests to the model.
        arguments: the other arguments of `Completer`, except for `policy`.
        """
        super().__init__(model, policy=POLICY, **arguments)
        self._collector = collector
        self.caller.ask = collector.complete
        self.caller.holds_timeout = True  # a batch may take a day, so no timeout holds

    async def close(self, warn: Callable[[str], None]) -> None:
        """Close the model's connections. Batches go on at the provider."""
        await self._collector.aclose()
        await super().close(warn)

    async def _paid(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Send a request within the budget. If an earlier run has submitted it, it is paid for; if
        that batch has no answer to it, it is sent again."""
        while self._collector.is_submitted(request):
            try:
                return await self.caller.answer(request)
            except AdjustedRequestError:
                continue
        return await super()._paid(request, attempts)


class Batching:
    """Creates the batch completers and worker pools of one session."""

    def __init__(
        self,
        options: RunOptions,
        stop_signal: StopSignal,
        budget: Budget,
    ) -> None:
        """Args:
        options: the run's options.
        stop_signal: the session's stop signal.
        budget: the session's budget.
        """
        self._folder: Path | None = None
        self._say: Callable[[str], None] | None = None
        self._options = options
        self._stop_signal = stop_signal
        self._budget = budget

    def begin(self, folder: Path | None, say: Callable[[str], None]) -> None:
        """Set where batches are recorded and who reports their progress, when the session begins.

        Args:
            folder: the session's folder; None if the session isn't kept.
            say: called with notices about the progress of batches.
        """
        self._folder, self._say = folder, say

    def completer(
        self, model: ChatModel, cache: CompletionStore | None, price: Price | None
    ) -> BatchCompleter:
        """Return a completer that uses a model's batch API.

        Args:
            model: the model.
            cache: the session's cache; None: no cache.
            price: the model's price in batches; None if it isn't known.

        Raises:
            UsageError: the model has no batch API, or an option can't be combined with batches.
        """
        if not isinstance(model, BatchModel):
            raise UsageError(
                f"{model.name} has no batch API: run it without --batch (models of OpenAI and "
                "Anthropic have one)",
                code="no_batches",
            )
        if self._options.stream:
            raise UsageError(
                "the answers of a batch can't be streamed: leave --stream out",
                code="conflicting_options",
            )
        key_of = key_maker(model.identity)
        collector = BatchCollector(
            model.name,
            model.batch_api(),
            key_of,
            stop_signal=self._stop_signal,
            say=self._tell,
            log=lambda: self._log,
            wait_s=self._options.deadline_s,
        )
        return BatchCompleter(
            model,
            collector=collector,
            stop_signal=self._stop_signal,
            limits=ModelLimits(
                stop_signal=self._stop_signal,
                clock=time.monotonic,
                max_connections=WIDTH,
                share_connections=True,
            ),
            budget=self._budget,
            cache=cache,
            key_of=key_of,
            read_cache=not self._options.refresh,
            price=price,
        )

    def pool(self, execute: Execute[Item]) -> WorkerPool[Item]:
        """Return a worker pool for as many instances as a batch can have, of all tests at once."""
        return WorkerPool(execute, width=WIDTH, stop_signal=self._stop_signal)

    @cached_property
    def _log(self) -> BatchLog:
        """The session's `batches.jsonl`, opened for the first request."""
        return BatchLog(self._folder)

    def _tell(self, text: str) -> None:
        if self._say is not None:
            self._say(text)
