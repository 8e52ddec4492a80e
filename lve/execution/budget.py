"""What a session may cost: a reservation for the worst case before every attempt.

A request is sent only when the worst that it can cost still fits beside the worst that all others
under way can cost; afterwards the reservation is replaced by what it did cost. So no cap is ever
overshot, however many requests are under way and however often they are tried again.

The worst case of an answer is its `max_tokens`. A request without one gets one as soon as there is
a cap on cost or tokens: `ANSWER_BOUND`, or what is left when that is less. An answer that reaches
a bound which the budget imposed is not a result (it would have gone on); it ends the session.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lve.errors import BudgetError
from lve.execution.stop import Brake
from lve.messages import Message, Usage
from lve.models.chat_model import BOUND_ARGS, ChatRequest
from lve.workspace import Price

ANSWER_BOUND = 4096
"""`max_tokens` of a request that has none, under a cap on cost or tokens."""
MESSAGE_OVERHEAD = 16
"""Tokens around one message (role, separators), at most."""
REQUEST_OVERHEAD = 32
"""Tokens around a whole prompt (begin, generation prompt, a default system line), at most."""
IMAGE_TOKENS = 50_000
"""What one image can cost: OpenAI's small models count 2,833 + 5,667 per tile of up to 8 tiles."""
SCORE_BOUND = 1
"""Tokens that a request to rate a prompt generates at most."""
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class BudgetCaps:
    """The session's caps; None where there is none."""

    cost: float | None = None
    """US dollars."""
    tokens: int | None = None
    """In and out."""
    requests: int | None = None
    """Attempts, failed ones included."""


@dataclass(slots=True)
class Amount:
    """Something reserved or spent."""

    cost: float = 0.0
    tokens: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst that one attempt can cost."""

    amount: Amount
    imposed: int | None = None
    """`max_tokens` that has to be sent with the request because of the budget."""


class Budget:
    """Counts what a session spends, and lets nothing begin that might not fit."""

    def __init__(self, caps: BudgetCaps, brake: Brake) -> None:
        self.caps = caps
        self.spent = Amount()
        self._brake = brake
        self._reserved = Amount()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_capped(self) -> bool:
        """Whether there is any cap."""
        return self.caps != BudgetCaps()

    @property
    def bounds_answers(self) -> bool:
        """Whether every request needs a `max_tokens`."""
        return self.caps.cost is not None or self.caps.tokens is not None

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Reserve the worst case of one attempt, waiting for others while they may free enough.

        Raises:
            BudgetError: it doesn't fit, and nothing under way could make it fit.
            Stopped: the brake was pulled meanwhile.
        """
        prompt = prompt_bound(request) if self.bounds_answers else 0
        while True:
            self._brake.check()
            reservation = self._fit(prompt, request, price)
            if reservation is not None:
                self._add(self._reserved, reservation.amount, 1)
                return reservation
            if self._reserved.requests == 0:
                raise BudgetError(self._exhausted())
            await self._wait()

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Replace a reservation by what the attempt cost.

        Args:
            reservation: what `reserve` gave.
            usage: tokens as the server counted them; None if it didn't say: the worst case counts.
            price: the model's.
            free: the server refused the request, so no tokens were used.
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
        """Give a reservation back, of an attempt that never reached the server."""
        self._add(self._reserved, reservation.amount, -1)
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)

    def _fit(self, prompt: int, request: ChatRequest, price: Price | None) -> Reservation | None:
        """Return a reservation that fits now, or None."""
        if not self.bounds_answers:
            one = Amount(requests=1)
            return Reservation(one) if self._fits(one) else None
        args = request.args
        bound = SCORE_BOUND if request.score else answer_bound(args)
        imposed = ANSWER_BOUND if bound is None else None
        amount = self._worst(prompt, bound or ANSWER_BOUND, args, price)
        if self._fits(amount):
            return Reservation(amount, imposed)
        if bound is not None or self._reserved.requests:
            return None
        # Alone, and with no bound of its own: make do with what is left.
        left = self._affordable_answer(prompt, args, price)
        if left < 1:
            return None
        return Reservation(self._worst(prompt, left, args, price), left)

    def _worst(
        self, prompt: int, answer: int, args: Mapping[str, Any], price: Price | None
    ) -> Amount:
        usage = Usage(prompt, answer * _choices(args))
        return Amount(cost_of(usage, price) or 0.0, usage.total_tokens, 1)

    def _affordable_answer(self, prompt: int, args: Mapping[str, Any], price: Price | None) -> int:
        left = float(ANSWER_BOUND)
        if self.caps.tokens is not None:
            left = min(left, (self.caps.tokens - self.spent.tokens - prompt) / _choices(args))
        if self.caps.cost is not None and price is not None and price.output > 0:
            money = self.caps.cost - self.spent.cost - prompt * price.input / MILLION
            left = min(left, money * MILLION / price.output / _choices(args))
        amount = self._worst(prompt, int(left), args, price)
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
            total.cost = 0.0  # nothing reserved is exactly nothing, whatever floats add up to

    async def _wait(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await self._brake.wait(future)

    def _exhausted(self) -> str:
        spent, caps = self.spent, self.caps
        parts = []
        if caps.cost is not None:
            parts.append(f"${spent.cost:.6g} of ${caps.cost:.6g}")
        if caps.tokens is not None:
            parts.append(f"{spent.tokens} of {caps.tokens} tokens")
        if caps.requests is not None:
            parts.append(f"{spent.requests} of {caps.requests} requests")
        return f"the session's budget allows no further call ({', '.join(parts)} spent)"


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return US dollars, or None without a price."""
    if price is None:
        return None
    return (usage.prompt_tokens * price.input + usage.completion_tokens * price.output) / MILLION


def prompt_bound(request: ChatRequest) -> int:
    """Return how many tokens a prompt has at most.

    Tokenizers work on bytes, and a token covers one byte at least. Model args count too: tools and
    schemas become part of the prompt.
    """
    bound = REQUEST_OVERHEAD + (_bytes(str(request.args)) if request.args else 0)
    if request.prompt is not None:
        return bound + _bytes(request.prompt)
    return bound + sum(_message_bound(message) for message in request.messages)


def answer_bound(args: Mapping[str, Any]) -> int | None:
    """Return how many tokens an answer has at most by its model args; None without a limit."""
    bounds = [args[name] for name in BOUND_ARGS if isinstance(args.get(name), int)]
    return min(bounds) if bounds else None


def _message_bound(message: Message) -> int:
    bound = MESSAGE_OVERHEAD
    if isinstance(message.content, str):
        bound += _bytes(message.content)
    else:
        bound += sum(_part_bound(part) for part in message.content or ())
    return bound + (IMAGE_TOKENS if message.image_url else 0)


def _part_bound(part: Mapping[str, Any]) -> int:
    text = part.get("text")
    return _bytes(text) if isinstance(text, str) else IMAGE_TOKENS


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _choices(args: Mapping[str, Any]) -> int:
    """How many answers one request asks for."""
    count = args.get("n")
    return count if isinstance(count, int) and count > 0 else 1
