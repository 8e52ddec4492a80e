"""How fast one model may be asked: rates from the settings, and a concurrency that adapts itself.

One `ModelLimits` per model, shared by all tests of a session.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from lve.errors import ModelError
from lve.execution.stop import Brake
from lve.messages import Message
from lve.models.chat_model import ChatRequest

OVERLOAD_STATUSES = frozenset({429, 503, 529})
DECREASE = 0.7
"""What an overloaded server leaves of the concurrency. Gentler than TCP's 0.5, as CUBIC's (RFC
9438), because a refused request costs only itself."""
FIRST_ANSWER_TOKENS = 256.0
"""Expected of an answer before there was one. Rather too many: an answer corrects it at once."""
AVERAGED = 16
"""About how many of the last answers tell what is expected of the next."""
BYTES_PER_TOKEN = 4
"""Rule of thumb for English text, used where an expected number of tokens is enough."""
IMAGE_LENGTH = 3000
"""Characters of text that an image takes the place of."""


class TokenBucket:
    """A rate per minute. The bucket may go into debt: what a request really takes is known only
    afterwards, and one may need more than the bucket ever holds."""

    def __init__(
        self, per_minute: float, *, clock: Callable[[], float], burst_s: float = 1.0
    ) -> None:
        self.rate = per_minute / 60.0
        self.capacity = max(1.0, self.rate * burst_s)
        self._clock = clock
        self._level = self.capacity
        self._at = clock()

    def wait_s(self, amount: float) -> float:
        """Return the seconds until some may be taken."""
        now = self._clock()
        self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
        self._at = now
        return max(0.0, (min(amount, self.capacity) - self._level) / self.rate)

    def take(self, amount: float) -> None:
        """Take some (or give back, when negative)."""
        self._level -= amount


class AdaptiveConcurrency:
    """How many requests may be under way: additive increase, multiplicative decrease (AIMD).

    Attributes:
        maximum: never more than this.
        limit: what it is now.
        in_flight: how many are under way.
        backed_off: error kind -> how often it made the limit smaller.
    """

    def __init__(self, maximum: int, brake: Brake) -> None:
        self.maximum = maximum
        self.limit = float(maximum)
        self.in_flight = 0
        self.backed_off: dict[str, int] = {}
        self._brake = brake
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._epoch = 0

    async def enter(self) -> int:
        """Wait for a free place and take it; returns a ticket for `leave`.

        Raises:
            Stopped: the brake was pulled.
        """
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
        else:
            await self._wait()
        return self._epoch

    def leave(self, ticket: int, error: ModelError | None = None) -> None:
        """Give a place back, and learn from how the attempt went."""
        self.in_flight -= 1
        if error is None:
            if self.limit < self.maximum:
                self.limit = min(self.maximum, self.limit + 1 / self.limit)
        elif error.status in OVERLOAD_STATUSES:
            self._decrease(ticket, error.kind)
        self._wake()

    def _decrease(self, ticket: int, kind: str) -> None:
        # Requests that were sent before the last decrease say nothing about the smaller limit.
        if ticket != self._epoch:
            return
        self._epoch += 1
        self.limit = max(1.0, min(self.limit, self.in_flight + 1) * DECREASE)
        self.backed_off[kind] = self.backed_off.get(kind, 0) + 1

    async def _wait(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await self._brake.wait(future)
        except BaseException:
            if future in self._waiting:
                self._waiting.remove(future)
            elif not future.cancelled() and future.exception() is None:
                self.in_flight -= 1  # it was our turn; pass it on
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            future = self._waiting.popleft()
            if not future.done():
                self.in_flight += 1  # on behalf of the one that wakes, so that none slips in
                future.set_result(None)


class ModelLimits:
    """Everything that paces the requests to one model."""

    def __init__(
        self,
        *,
        brake: Brake,
        clock: Callable[[], float],
        max_connections: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        self.concurrency = AdaptiveConcurrency(max_connections, brake)
        self._brake = brake
        self._requests = _bucket(requests_per_minute, clock)
        self._tokens = _bucket(tokens_per_minute, clock)
        self._answer_tokens = FIRST_ANSWER_TOKENS
        self._answers = 0
        self._turn = asyncio.Lock()
        self._next: asyncio.Future[None] | None = None
        """What the first in the queue waits for."""
        self.waiting_for_rate = 0
        """How many requests wait for the rate limits of the settings."""

    @property
    def in_flight(self) -> int:
        """How many requests have a place and don't wait for the rate: they are with the server."""
        return self.concurrency.in_flight - self.waiting_for_rate

    @property
    def is_paced(self) -> bool:
        """Whether the settings limit this model's rate."""
        return self._requests is not None or self._tokens is not None

    async def pace(self, expected_prompt_tokens: float) -> float:
        """Wait until the rates allow another request; returns the tokens it was counted with.

        Requests go in the order in which they came. What one takes is estimated when its turn has
        come, so that it profits from what the answers until then have taught.

        Raises:
            Stopped: the brake was pulled.
        """
        self.waiting_for_rate += 1
        try:
            async with self._turn:
                while (wait := self._wait_s(expected_prompt_tokens)) > 0:
                    await self._sleep(wait)
        finally:
            self.waiting_for_rate -= 1
        expected = expected_prompt_tokens + self._answer_tokens
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(expected)
        return expected

    def correct(self, expected: float, actual: int, answer: int) -> None:
        """Replace an expected number of tokens by what the server counted."""
        self._answers += 1
        self._answer_tokens += (answer - self._answer_tokens) / min(self._answers, AVERAGED)
        if self._tokens:
            self._tokens.take(actual - expected)
            if self._next is not None:  # it may be its turn already
                _resolve(self._next)

    def _wait_s(self, prompt: float) -> float:
        wait = self._requests.wait_s(1) if self._requests else 0.0
        if self._tokens:
            wait = max(wait, self._tokens.wait_s(prompt + self._answer_tokens))
        return wait

    async def _sleep(self, seconds: float) -> None:
        """Sleep until then, or until an estimate was corrected."""
        loop = asyncio.get_running_loop()
        self._next = loop.create_future()
        handle = loop.call_later(seconds, _resolve, self._next)
        try:
            await self._brake.wait(self._next)
        finally:
            handle.cancel()
            self._next = None


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def expected_tokens(request: ChatRequest) -> float:
    """Return roughly how many tokens a request's prompt has."""
    if request.prompt is not None:
        return len(request.prompt) / BYTES_PER_TOKEN
    messages = request.messages
    return sum(_length(message) for message in messages) / BYTES_PER_TOKEN + 4 * len(messages)


def _length(message: Message) -> int:
    content = message.content
    if isinstance(content, str):
        return len(content)
    return sum(len(str(part.get("text") or "")) or IMAGE_LENGTH for part in content or ())


def _bucket(per_minute: float | None, clock: Callable[[], float]) -> TokenBucket | None:
    return TokenBucket(per_minute, clock=clock) if per_minute else None
