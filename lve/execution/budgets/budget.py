"""Keeps a session within its budget, by reserving the worst case before every attempt.

A request is sent only if its worst case, what has been spent, and the worst cases of all requests
in flight are within the caps together. Afterwards the real cost replaces the reservation. So no cap
is ever exceeded, however many requests are in flight and however often they are retried.

The worst case of an answer is its `max_tokens`. Under a cap on cost or tokens, a request without
`max_tokens` gets `ANSWER_BOUND`, or less if less is left. An answer that was cut off at such an
imposed bound isn't used as a result.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from lve.data_classes import dataclass
from lve.errors import BudgetError, PermanentModelError, SessionError
from lve.execution.budgets.bounds import Bounds, bounds_of
from lve.execution.budgets.cost import MILLION, cost_of
from lve.execution.stop import StopSignal, resolve
from lve.messages import Completion, Usage
from lve.models.chat_model import ChatRequest
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import Price

ANSWER_BOUND = 4096
"""`max_tokens` for a request that has none, under a cap on cost or tokens."""
MISCOUNTED = 8
"""Tokens by which a server may miscount an answer."""


class BudgetCaps(NamedTuple):
    """The caps of a budget; None: no cap."""

    cost: float | None = None
    """US dollars."""
    tokens: int | None = None
    """Tokens of prompts and answers."""
    requests: int | None = None
    """Attempts, including failed ones."""


@dataclass(slots=True)
class Amount:
    """An amount that is reserved or spent."""

    cost: float = 0.0
    tokens: int = 0
    requests: int = 0


class Reservation(NamedTuple):
    """The worst that one attempt can cost."""

    amount: Amount
    imposed: int | None = None
    """The `max_tokens` that the budget adds to the request, if any."""
    outer: Reservation | None = None
    """The reservation in the budget around this one, if there is one."""


class Budget:
    """Counts what a session spends, and refuses requests that might exceed a cap."""

    def __init__(
        self,
        caps: BudgetCaps,
        stop_signal: StopSignal,
        *,
        whose: str = "the session's budget",
        role: str | None = None,
    ) -> None:
        """Args:
        caps: the caps.
        stop_signal: the session's stop signal.
        whose: the budget's name, for messages.
        role: the role whose budget it is; None: the session's.
        """
        self._whose = whose
        self._role = role
        self.caps = caps
        self.spent = Amount()
        self.on_change: Callable[[], None] | None = None
        """Called when `committed` has changed, before a request is sent; without caps, before each
        request. If it raises `SessionError`, the request isn't sent."""
        self.stop_signal = stop_signal
        self.is_capped = caps != BudgetCaps()
        """Whether there is any cap."""
        self._reserved = Amount()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def bounds_answers(self) -> bool:
        """Whether every request needs a `max_tokens`."""
        return self.caps.cost is not None or self.caps.tokens is not None

    @property
    def needs_bounds(self) -> bool:
        """Whether `reserve_for` needs an attempt's bounds, and not just the number of attempts."""
        return self.bounds_answers

    @property
    def committed(self) -> Amount:
        """What was spent, plus the worst case of all requests in flight."""
        spent, reserved = self.spent, self._reserved
        return Amount(
            spent.cost + reserved.cost,
            spent.tokens + reserved.tokens,
            spent.requests + reserved.requests,
        )

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Reserve the worst case of one attempt. Waits while other reservations may still be freed.

        Raises:
            BudgetError: it exceeds a cap, and there is no reservation that could be freed.
            SessionError: the reservation can't be written to the ledger.
            Stopped: the session was stopped.
        """
        return await self.reserve_for(bounds_of(request) if self.needs_bounds else Bounds(), price)

    async def reserve_for(self, bounds: Bounds, price: Price | None) -> Reservation:
        """Reserve the worst case of an attempt with these bounds; errors as `reserve`."""
        while True:
            self.stop_signal.check()
            reservation = self._fit(bounds, price)
            if reservation is not None:
                self._add(self._reserved, reservation.amount, 1)
                self._changed()
                return reservation
            if self._reserved.requests == 0:
                raise BudgetError(self._exhausted(), role=self._role)
            await self._wait()

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Replace a reservation by the real cost of the attempt.

        Args:
            reservation: the reservation from `reserve`.
            usage: tokens by the server's count; None: unknown, so the worst case counts.
            price: the model's price.
            free: whether the server refused the request, so that no tokens were used.
        """
        if free:
            spent = Amount(requests=1)
        elif usage is None:
            spent = reservation.amount
        else:
            spent = Amount(cost_of(usage, price) or 0.0, usage.total_tokens, 1)
        self._add(self.spent, spent, 1)
        self.release(reservation)

    def release(self, reservation: Reservation) -> None:
        """Give back the reservation of an attempt that never reached the server."""
        self._add(self._reserved, reservation.amount, -1)
        # Ignore a full disk here, so that an answer which has arrived is kept. The ledger has more
        # than was spent, and the next reservation raises the error.
        with suppress(SessionError):
            self._changed()
        while self._waiting:
            resolve(self._waiting.popleft())

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def _fit(self, bounds: Bounds, price: Price | None) -> Reservation | None:
        """Return a reservation that fits now, or None."""
        if not self.bounds_answers:
            request = Amount(requests=1)
            return Reservation(request) if self._fits(request) else None
        imposed = ANSWER_BOUND if bounds.answer is None else None
        amount = _worst(bounds, bounds.answer or ANSWER_BOUND, price)
        if self._fits(amount):
            return Reservation(amount, imposed)
        if bounds.answer is not None or self._reserved.requests:
            return None
        # No other request is in flight, and this one has no bound of its own: reserve what is left.
        left = self._affordable_answer(bounds, price)
        if left < 1:
            return None
        return Reservation(_worst(bounds, left, price), left)

    def _affordable_answer(self, bounds: Bounds, price: Price | None) -> int:
        left, prompt, answers = float(ANSWER_BOUND), bounds.prompt, bounds.answers
        if self.caps.tokens is not None:
            left = min(left, (self.caps.tokens - self.spent.tokens - prompt) / answers)
        rate = price and price.for_prompt(prompt)
        if self.caps.cost is not None and rate is not None and rate.output > 0:
            money = self.caps.cost - self.spent.cost - prompt * rate.input / MILLION
            left = min(left, money * MILLION / rate.output / answers)
        amount = _worst(bounds, int(left), price)
        return int(left) if self._fits(amount) else 0

    def _fits(self, amount: Amount) -> bool:
        caps, spent, reserved = self.caps, self.spent, self._reserved
        return (
            (caps.cost is None or spent.cost + reserved.cost + amount.cost <= caps.cost)
            and (
                caps.tokens is None or spent.tokens + reserved.tokens + amount.tokens <= caps.tokens
            )
            and (
                caps.requests is None
                or spent.requests + reserved.requests + amount.requests <= caps.requests
            )
        )

    @staticmethod
    def _add(total: Amount, amount: Amount, sign: int) -> None:
        total.requests += sign * amount.requests
        total.tokens += sign * amount.tokens
        total.cost += sign * amount.cost
        if total.requests == 0:
            total.cost = 0.0  # no rounding errors when nothing is reserved

    async def _wait(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await self.stop_signal.wait(future)

    def _exhausted(self) -> str:
        spent, caps = self.spent, self.caps
        parts = []
        if caps.cost is not None:
            parts.append(f"${spent.cost:.6g} of ${caps.cost:.6g}")
        if caps.tokens is not None:
            parts.append(f"{spent.tokens} of {caps.tokens} tokens")
        if caps.requests is not None:
            parts.append(f"{spent.requests} of {caps.requests} requests")
        return f"{self._whose} allows no further call ({', '.join(parts)} spent)"


def _worst(bounds: Bounds, answer: int, price: Price | None) -> Amount:
    usage = Usage(bounds.prompt, answer * bounds.answers)
    return Amount(cost_of(usage, price) or 0.0, usage.total_tokens, 1)


def refuse_cut(completion: Completion, reservation: Reservation) -> None:
    """Refuse an answer that was cut off at the `max_tokens` that the budget imposed.

    Raises:
        BudgetError: too little of the budget was left for the answer.
        PermanentModelError: the request needs a `max_tokens` of its own.
    """
    imposed = reservation.imposed
    if imposed is None or completion.finish_reason != "length":
        return
    usage = completion.usage
    if usage is not None and usage.completion_tokens < imposed - MISCOUNTED:
        return  # something else has cut it off, such as a full context
    if imposed < ANSWER_BOUND:
        raise BudgetError(f"what is left of the budget, {imposed} tokens, is too little to answer")
    raise PermanentModelError(
        f"the answer is longer than the {ANSWER_BOUND} tokens that a session with a budget allows "
        "a request without max_tokens; set max_tokens (--model-arg max_tokens=N)",
        kind="too_long",
    )
