"""Calls a model, within the time that one attempt may take."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from lve.errors import LveError, PermanentModelError, with_code
from lve.execution.completions import in_whole_characters
from lve.execution.retry import DEFAULT_DEADLINE_S, Attempts, within
from lve.execution.stop import Stopped, is_cancelled
from lve.messages import Completion
from lve.models.chat_model import (
    ChatModel,
    ChatRequest,
    holds_timeout,
    with_written_calls,
    wrong_with,
)
from lve.plugins import CRASHES


class ModelCaller:
    """Calls one model. If it crashes, as a plugin's code may, only the instance fails."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.ask: Callable[[ChatRequest], Awaitable[Completion]] = model.complete
        """Asks the model. Batches and embedders ask it in their own ways."""
        self.holds_timeout = holds_timeout(model)
        """Whether the model keeps the timeout itself: then no timer is needed here, which would
        cost more than the rest of a call."""

        self._is_own = self.holds_timeout and type(model).__module__.startswith("lve.models.")
        """Whether it is lve's own client, which marks answers as plain when it has looked at all
        their fields."""

    def answer_in_time(
        self, request: ChatRequest, attempts: Attempts, deadline_s: float
    ) -> Awaitable[Completion]:
        """Return the model's answer, within the request's timeout and the deadline.

        Args:
            request: the request.
            attempts: those for this completion, including the current one.
            deadline_s: seconds for all of them.

        Raises:
            ModelError: it gave none, crashed, or took too long.
        """
        # Not `async`, which would take longer.
        timeout_s = None if self.holds_timeout else request.timeout_s
        if attempts.count == 1 and timeout_s is None and deadline_s >= DEFAULT_DEADLINE_S:
            return self.answer(request)
        remaining_s = deadline_s - attempts.spent_s
        if timeout_s is not None and timeout_s < remaining_s:
            return within(self.answer(request), timeout_s, f"within {timeout_s:g} s")
        when = f"before the deadline of {deadline_s:g} s (--deadline)"
        return within(self.answer(request), remaining_s, when)

    async def answer(self, request: ChatRequest) -> Completion:
        """Return the model's answer, however long it takes.

        Raises:
            ModelError: it gave none, or crashed.
        """
        try:
            completion = await self.ask(request)
        except (LveError, Stopped):
            raise
        except (*CRASHES, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise  # otherwise a library of the model has cancelled it, which is a crash
            raise PermanentModelError(self._crash(error), kind="model_crash") from error
        if self._is_own and completion.is_plain:
            return in_whole_characters(completion)
        wrong = wrong_with(completion)
        if wrong is not None:
            completion = with_written_calls(completion)
            wrong = wrong_with(completion)
        if wrong is not None:
            raise PermanentModelError(self._crash(wrong), kind="model_crash")
        return in_whole_characters(completion)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Close the model's connections; warn if that crashes."""
        try:
            await self.model.aclose()
        except CRASHES as error:
            warn(with_code(f"{self._crash(error)}; all results are there", "model_crash"))

    def _crash(self, error: BaseException | str) -> str:
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        return f"the model {self.model.name} crashed: {' '.join(text.split())}"
