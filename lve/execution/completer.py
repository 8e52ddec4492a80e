"""Gets completions: from the cache, or from the model within limits, budget and retry policy.

There is one `Completer` per model and session. It is made of what it looks into first
(`CachedAnswers`), what decides about failed attempts (`Retries`), and what asks the model
(`ModelCaller`). A request passes these steps: `complete` looks into the cache, `_obtain` makes
attempts until one succeeds, `_attempt` waits for the model's limits, `_paid` reserves budget,
`_send` counts, and the caller asks the model in time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from lve.errors import ModelError, SessionError, TransientModelError
from lve.execution.budgets.budget import Budget, refuse_cut
from lve.execution.budgets.cost import stated_cost
from lve.execution.cache.contract import CompletionStore
from lve.execution.cache.lookup import CachedAnswers
from lve.execution.caller import ModelCaller
from lve.execution.request_limits import ModelLimits, expected_tokens
from lve.execution.retry import Attempts, Retries, RetryPolicy, forget_values, with_note
from lve.execution.stop import StopSignal
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest
from lve.secrets.redaction import redact
from lve.settings.model_settings import Price

DEFAULT_POLICY = RetryPolicy()


class Completer:
    """Gets completions from one model: cached, retried, within limits and budget."""

    def __init__(
        self,
        model: ChatModel,
        *,
        stop_signal: StopSignal,
        limits: ModelLimits,
        budget: Budget,
        cache: CompletionStore | None = None,
        key_of: Callable[[ChatRequest], str] | None = None,
        read_cache: bool = True,
        policy: RetryPolicy = DEFAULT_POLICY,
        price: Price | None = None,
        rng: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Args:
        model: the model to ask.
        stop_signal: the session's stop signal.
        limits: the model's limits, shared by all tests.
        budget: the budget to spend from.
        cache: stores completions; None: no cache.
        key_of: returns the cache key of a request; needed with `cache`.
        read_cache: whether to use stored completions (`--refresh` only writes).
        policy: says which failed attempts are repeated, and when.
        price: the price of the model's tokens; None if it isn't known.
        rng: returns random numbers from [0, 1).
        clock: returns the time in seconds.
        """
        self.model = model
        self.limits = limits
        self.traffic = Traffic()
        self.price = price
        self.caller = ModelCaller(model)
        self.retries = Retries(model.name, policy, rng)
        self._budget = budget
        self._stop_signal = stop_signal
        self._clock = clock
        self.answers: CachedAnswers | None = None
        if cache is not None and key_of is not None:
            self.answers = CachedAnswers(
                model.name,
                cache,
                key_of,
                stop_signal,
                self.traffic,
                is_read=read_cache,
                patience_s=policy.deadline_s,
            )

    @property
    def store_failure(self) -> SessionError | None:
        """The error, if an answer couldn't be stored in the cache."""
        return None if self.answers is None else self.answers.failure

    def complete(self, request: ChatRequest) -> Awaitable[Completion]:
        """Return the completion of a request: a `StoredAnswer` if the cache has it.

        Raises:
            ModelError: the model gave none, despite all attempts.
            BudgetError: the budget doesn't allow the request.
            Stopped: the session was stopped.
        """
        # Not `async`, like others here: every step of every request would pass through one more
        # coroutine.
        if self.answers is None:
            return self._obtain(request)
        return self.answers.complete(request, self._obtain)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Close the model's connections; warn if that crashes, as it may in a plugin's code."""
        await self.caller.close(warn)

    async def _obtain(self, request: ChatRequest) -> Completion:
        """Make attempts until one succeeds or the policy says to give up."""
        attempts, retries = Attempts(), self.retries
        while True:
            try:
                completion = await self._attempt(request, attempts)
            except TransientModelError as error:
                delay_s = retries.delay_s(error, attempts)
                if delay_s is not None:
                    await self._back_off(delay_s)
                    continue
                if not (note := retries.note(error, attempts)):
                    raise
                raise with_note(error, note) from error
            except ModelError as error:
                retries.breaker.failed(error)
                raise
            retries.breaker.answered()
            return completion

    async def _attempt(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Make one attempt, as soon as the limits and the budget allow it."""
        self._stop_signal.check()
        concurrency = self.limits.concurrency
        ticket = await concurrency.enter()
        failure: ModelError | None = None
        try:
            self.retries.breaker.check()
            # Pace after entering: requests that were paced before and then waited to enter could be
            # sent all at once.
            is_paced = self.limits.is_paced
            expected = await self.limits.pace(expected_tokens(request)) if is_paced else 0.0
            completion = await self._paid(request, attempts)
        except ModelError as error:
            failure = error
            attempts.spent_s += self._clock() - attempts.began
            forget_values(error)
            error.args = (redact(str(error)),)  # servers may repeat headers in it
            self.traffic.count_failure(error)
            raise
        finally:
            concurrency.leave(ticket, failure)
            del failure  # or the error, its traceback and this frame would keep each other
        usage, price = completion.usage, self.price
        if completion.cost is not None:
            usage, price = stated_cost(completion)
        if usage is not None:
            self.traffic.count_usage(usage, price)
            if is_paced:
                self.limits.correct(expected, usage.total_tokens, usage.completion_tokens)
        return completion

    def _paid(self, request: ChatRequest, attempts: Attempts) -> Awaitable[Completion]:
        """Send a request within the budget, or count it."""
        if self._budget.is_capped:
            return self._within_budget(request, attempts)
        if self._budget.on_change is not None:
            self._budget.on_change()
        return self._send(request, attempts)

    async def _within_budget(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Reserve the worst case, send, settle."""
        budget = self._budget
        reservation = await budget.reserve(request, self.price)
        if reservation.imposed is not None:
            request = replace(request, args={**request.args, "max_tokens": reservation.imposed})
        completion: Completion | None = None
        free = False
        was_sent = True
        try:
            completion = await self._send(request, attempts)
        except ModelError as error:
            # A refused request costs nothing. A broken or late answer may be billed, and its length
            # isn't known: the worst case counts as spent.
            free = error.status is not None and error.status >= 400
            was_sent = error.was_sent
            raise
        finally:
            usage, price = completion.usage if completion is not None else None, self.price
            if completion is not None and completion.cost is not None:
                usage, price = stated_cost(completion)
            if was_sent:
                budget.settle(reservation, usage, price, free=free)
            else:
                budget.release(reservation)
        refuse_cut(completion, reservation)
        return completion

    def _send(self, request: ChatRequest, attempts: Attempts) -> Awaitable[Completion]:
        """Count the attempt and send the request."""
        if self._stop_signal.reason is not None:
            self._stop_signal.check()
        self.traffic.requests += 1
        attempts.count += 1
        attempts.began = self._clock()
        deadline_s = self.retries.policy.deadline_s
        return self.caller.answer_in_time(request, attempts, deadline_s)

    async def _back_off(self, delay_s: float) -> None:
        self.traffic.waiting_for_retry += 1
        try:
            await self._stop_signal.sleep(delay_s)
        finally:
            self.traffic.waiting_for_retry -= 1
