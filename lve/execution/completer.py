"""Gets completions: from the cache, or from the model within limits, budget and retry policy.

There is one `Completer` per model and session. A request passes these steps: `complete` looks into
the cache, `_obtain` makes attempts until one succeeds, `_attempt` waits for the model's limits,
`_paid` reserves budget, `_send` counts, `_in_time` sets the timeout and `_answer` calls the model.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from lve.errors import (
    LveError,
    ModelError,
    PermanentModelError,
    SessionError,
    TransientModelError,
    with_code,
)
from lve.execution.budgets.budget import Budget, refuse_cut
from lve.execution.cache.contract import ClaimingStore, CompletionStore
from lve.execution.circuit_breaker import CircuitBreaker
from lve.execution.completions import redacted
from lve.execution.request_limits import ModelLimits, expected_tokens
from lve.execution.retry import (
    DEFAULT_DEADLINE_S,
    Attempts,
    RetryPolicy,
    first_contact,
    forget_values,
    next_delay,
    with_attempts,
    within,
)
from lve.execution.stop import Stopped, StopSignal, is_cancelled
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import ChatModel, ChatRequest, holds_timeout, wrong_with
from lve.plugins import CRASHES
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
        redact: Callable[[str], str] | None = None,
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
        redact: removes secrets from error messages, in which servers may repeat headers. Answers
            are returned whole, to be judged; an answer with a secret isn't cached.
        rng: returns random numbers from [0, 1).
        clock: returns the time in seconds.
        """
        self.model = model
        self._ask: Callable[[ChatRequest], Awaitable[Completion]] = model.complete
        self.limits = limits
        self.traffic = Traffic()
        self.price = price
        self.store_failure: SessionError | None = None
        """The error, if an answer couldn't be stored in the cache."""
        self._stop_signal = stop_signal
        self._breaker = CircuitBreaker(model.name)
        self._budget = budget
        self._cache = cache if key_of is not None else None
        self._claims = self._cache if isinstance(self._cache, ClaimingStore) else None
        self._key_of = key_of
        self._read_cache = read_cache
        self._policy = policy
        self._first_contact = first_contact(policy)
        # If the model keeps the timeout itself, no timer is needed here, which would cost more than
        # everything else in this class.
        self._holds_timeout = holds_timeout(model)
        self._redact = redact
        self._rng = rng
        self._clock = clock

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion of a request.

        Raises:
            ModelError: the model gave none, despite all attempts.
            BudgetError: the budget doesn't allow the request.
            Stopped: the session was stopped.
        """
        if self._cache is None or self._key_of is None:
            return await self._obtain(request)
        key = self._key_of(request)
        if self._read_cache:
            stored = self._cache.get(key)
            if stored is None and self._claims is not None:
                stored = await self._claim(self._claims, key)
            # `left_out`: default args that the model refused. If this request sets one of them on
            # purpose, the stored answer isn't an answer to it.
            if stored is not None and request.by_default.issuperset(stored.left_out):
                self.traffic.cached += 1
                return stored
        try:
            completion = await self._obtain(request)
            if not self._has_secret(completion):
                await self._store(self._cache, key, completion)
        finally:
            if self._claims is not None:
                self._claims.release(key)
        return completion

    async def _store(self, cache: CompletionStore, key: str, completion: Completion) -> None:
        try:
            redact = self._redact or str  # a key may be the model's name, by mistake
            await cache.put(key, completion, model=redact(self.model.name))
        except SessionError as error:
            # The answer is paid for: let its result be written, then end the session.
            self._store_failed(error)

    async def _claim(self, claims: ClaimingStore, key: str) -> Completion | None:
        """Return the completion from the team's store, where other machines may be asking for
        it."""
        try:
            return await claims.claim(key, self._policy.deadline_s)
        except SessionError as error:
            self._store_failed(error)
            raise Stopped("failure") from error

    def _store_failed(self, error: SessionError) -> None:
        self.store_failure = error
        self._stop_signal.set("failure")

    async def close(self, warn: Callable[[str], None]) -> None:
        """Close the model's connections; warn if that crashes, as it may in a plugin's code."""
        try:
            await self.model.aclose()
        except CRASHES as error:
            warn(with_code(f"{self._crash(error)}; all results are there", "model_crash"))

    async def _obtain(self, request: ChatRequest) -> Completion:
        """Make attempts until one succeeds or the policy says to give up."""
        attempts = Attempts()
        while True:
            try:
                completion = await self._attempt(request, attempts)
            except TransientModelError as error:
                self._breaker.attempt_failed(error)
                policy = self._policy if self._breaker.was_reached else self._first_contact
                delay = next_delay(error, attempts, self._rng(), policy)
                if delay is None:
                    self._breaker.failed(error)
                    raise with_attempts(error, attempts, self._policy) from error
                attempts.spent_s += delay
                await self._back_off(delay)
            except ModelError as error:
                self._breaker.failed(error)
                raise
            else:
                self._breaker.answered()
                return completion

    async def _attempt(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Make one attempt, as soon as the limits and the budget allow it."""
        self._stop_signal.check()
        concurrency = self.limits.concurrency
        ticket = await concurrency.enter()
        failure: ModelError | None = None
        try:
            self._breaker.check()
            # Pace after entering: requests that were paced before and then waited to enter could be
            # sent all at once.
            is_paced = self.limits.is_paced
            expected = await self.limits.pace(expected_tokens(request)) if is_paced else 0.0
            completion = await self._paid(request, attempts)
        except ModelError as error:
            failure = error
            forget_values(error)
            if self._redact is not None:
                error.args = (self._redact(str(error)),)
            self.traffic.count_failure(error)
            raise
        finally:
            concurrency.leave(ticket, failure)
        if completion.usage is not None and is_paced:
            usage = completion.usage
            self.limits.correct(expected, usage.total_tokens, usage.completion_tokens)
        return completion

    def _has_secret(self, completion: Completion) -> bool:
        """Whether a completion has a secret, so that it can't be cached. Redacted, it would be
        judged later as if the model had said that."""
        if self._redact is None:
            return False
        clean = redacted(completion, self._redact)
        return clean is not completion and clean != completion

    async def _paid(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Send a request within the budget: reserve the worst case, send, settle."""
        budget = self._budget
        if not budget.is_capped:
            return self._count(await self._send(request, attempts))
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
            usage = completion.usage if completion is not None else None
            if was_sent:
                budget.settle(reservation, usage, self.price, free=free)
            else:
                budget.release(reservation)
        refuse_cut(completion, reservation)
        return self._count(completion)

    async def _send(self, request: ChatRequest, attempts: Attempts) -> Completion:
        """Send the request; count the attempt and its duration."""
        self._stop_signal.check()
        self.traffic.requests += 1
        attempts.count += 1
        started = self._clock()
        try:
            return await self._in_time(request, attempts)
        finally:
            attempts.spent_s += self._clock() - started

    def _in_time(self, request: ChatRequest, attempts: Attempts) -> Awaitable[Completion]:
        """Ask the model, within timeout and deadline. Not `async`, which would take longer."""
        timeout_s = None if self._holds_timeout else request.timeout_s
        deadline_s = self._policy.deadline_s
        if attempts.count == 1 and timeout_s is None and deadline_s >= DEFAULT_DEADLINE_S:
            return self._answer(request)
        remaining_s = deadline_s - attempts.spent_s
        if timeout_s is not None and timeout_s < remaining_s:
            return within(self._answer(request), timeout_s, f"within {timeout_s:g} s")
        when = f"before the deadline of {deadline_s:g} s (--deadline)"
        return within(self._answer(request), remaining_s, when)

    async def _answer(self, request: ChatRequest) -> Completion:
        """Ask the model. If it crashes, as a plugin's code may, only the instance fails."""
        try:
            completion = await self._ask(request)
        except (LveError, Stopped):
            raise
        except (*CRASHES, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise  # otherwise a library of the model has cancelled it, which is a crash
            raise PermanentModelError(self._crash(error), kind="model_crash") from error
        wrong = wrong_with(completion)
        if wrong is not None:
            raise PermanentModelError(self._crash(wrong), kind="model_crash")
        return completion

    def _crash(self, error: BaseException | str) -> str:
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        return f"the model {self.model.name} crashed: {' '.join(text.split())}"

    def _count(self, completion: Completion) -> Completion:
        if completion.usage is not None:
            self.traffic.count_usage(completion.usage, self.price)
        return completion

    async def _back_off(self, delay: float) -> None:
        self.traffic.waiting_for_retry += 1
        try:
            await self._stop_signal.sleep(delay)
        finally:
            self.traffic.waiting_for_retry -= 1
