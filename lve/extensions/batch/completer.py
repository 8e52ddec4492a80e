"""A completer that uses a batch API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lve.errors import AdjustedRequestError
from lve.execution.completer import Completer
from lve.execution.retry import Attempts, RetryPolicy
from lve.extensions.batch.collector import BatchCollector
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest

POLICY = RetryPolicy(max_attempts=3, base_s=0.1, cap_s=1.0, deadline_s=1e9)
"""A failed request becomes part of the next batch, at most twice."""


class BatchCompleter(Completer):
    """Gets completions from one model in batches: cached, retried, within the budget."""

    def __init__(self, model: ChatModel, *, collector: BatchCollector, **given: Any) -> None:
        """Args:
        model: the model.
        collector: collects the requests to the model.
        given: the other arguments of `Completer`, except for `policy`.
        """
        super().__init__(model, policy=POLICY, **given)
        self._collector = collector
        self._ask = collector.complete
        self._holds_timeout = True  # a batch may take a day, so no timeout holds

    async def close(self, warn: Callable[[str], None]) -> None:
        """Close the model's connections. Batches go on at the provider."""
        await self._collector.aclose()
        await super().close(warn)

    async def _paid(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Send a request within the budget. If an earlier run has submitted it, it is paid for; if
        that batch has no answer to it, it is sent again."""
        while self._collector.is_submitted(request):
            try:
                return self._count(await self._answer(request))
            except AdjustedRequestError:
                continue
        return await super()._paid(request, attempts)
