"""Limits the requests to one model: by the settings' rates, and by an adaptive concurrency.

All tests of a session share one `ModelLimits` per model.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from lve.errors import ModelError
from lve.execution.stop import StopSignal, resolve
from lve.messages import Message, Part
from lve.models.chat_model import ChatRequest
from lve.models.error_kinds import MODEL_WIDE_KINDS, UNANSWERED_KINDS
from lve.prompts.attachments import TEXT

OVERLOAD_STATUSES = frozenset({429, 503, 529})
DECREASE = 0.7
"""Factor for the concurrency when the server is overloaded: 0.7 as in CUBIC (RFC 9438), not 0.5 as
in TCP, because a refused request costs little."""
FIRST_ANSWER_TOKENS = 256.0
"""Expected length of the first answer. Rather too high, because the answer corrects it at once."""
PROBE_S = 1.0
"""Most seconds that others wait for the first request: a refusal takes less."""
PAUSES_S = (0.25, 0.5, 0.5, 0.5)
"""Seconds after each of the first requests that had no answer, in case the server is starting."""
LOADING_STATUS, LOADING_PAUSES_S = 503, (*PAUSES_S, *(PROBE_S,) * 30)
"""What servers say that still load their model, and the seconds after each of those answers."""
AVERAGED = 16
"""About how many of the last answers determine the expected length of the next one."""
BYTES_PER_TOKEN = 4
"""Rule of thumb for English text, for estimates."""
IMAGE_LENGTH = 3000
"""Characters of text that an image counts as."""


class TokenBucket:
    """A token bucket for a rate per minute. Its level may become negative, because the real amount
    of a request is known only afterwards, and may be more than the bucket holds."""

    def __init__(self, per_minute: float, *, clock: Callable[[], float]) -> None:
        self.rate = per_minute / 60.0
        self.capacity = max(1.0, self.rate)  # the amount of one second
        self._clock = clock
        self._level = self.capacity
        self._at = clock()

    def wait_s(self, amount: float) -> float:
        """Return the seconds until `amount` may be taken."""
        now = self._clock()
        self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
        self._at = now
        return max(0.0, (min(amount, self.capacity) - self._level) / self.rate)

    def take(self, amount: float) -> None:
        """Take an amount; a negative amount is given back."""
        self._level -= amount


class AdaptiveConcurrency:
    """Adapts the number of requests in flight: additive increase, multiplicative decrease (AIMD).

    Attributes:
        maximum: upper bound of the limit.
        limit: the current limit.
        in_flight: number of requests in flight.
        backed_off: error kind -> how often it reduced the limit.
    """

    def __init__(self, maximum: int, stop_signal: StopSignal) -> None:
        self.maximum = maximum
        self.limit = float(maximum)
        self.in_flight = 0
        self.backed_off: dict[str, int] = {}
        self._stop_signal = stop_signal
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._epoch = 0
        self._is_probing = False
        self._pauses = iter(PAUSES_S)
        self._loading_pauses = iter(LOADING_PAUSES_S)
        self._timer: asyncio.TimerHandle | None = None
        """Ends the probing."""

    def probe(self) -> None:
        """Send one request at a time until one says that key and address are right, or takes
        `PROBE_S`: wrong ones would fail as often as there are places."""
        if not self._epoch and not self.in_flight:
            self.limit, self._is_probing = 1.0, True

    async def enter(self) -> int:
        """Wait for a free place and take it; return a ticket for `leave`.

        Raises:
            Stopped: the session was stopped.
        """
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return self._epoch
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        if self._is_probing and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PROBE_S, self._end_probing)
        try:
            await self._stop_signal.wait(future)
        except BaseException:
            if future in self._waiting:
                self._waiting.remove(future)
            elif not future.cancelled() and future.exception() is None:
                self.in_flight -= 1  # this waiter has got a place: pass it on
                self._wake()
            raise
        return self._epoch

    def leave(self, ticket: int, error: ModelError | None = None) -> None:
        """Give a place back and adapt the limit to the attempt's outcome."""
        self.in_flight -= 1
        if self._is_probing and self._probed(error):
            return
        if error is None:
            if self.limit < self.maximum:
                self.limit = min(self.maximum, self.limit + 1 / self.limit)
        elif error.status in OVERLOAD_STATUSES:
            self._decrease(ticket, error.kind)
        if self._waiting:
            self._wake()

    def _probed(self, error: ModelError | None) -> bool:
        """Learn from a probe; return whether there is a pause before the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if error is not None and error.status == LOADING_STATUS:
            pause_s = next(self._loading_pauses, 0.0)
        else:
            pause_s = next(self._pauses, 0.0) if error and error.kind in UNANSWERED_KINDS else 0.0
        if pause_s:
            self.limit = 0.0
            self._timer = asyncio.get_running_loop().call_later(pause_s, self._probe_again)
            return True
        if error is None or error.kind not in MODEL_WIDE_KINDS | UNANSWERED_KINDS:
            self._end_probing()
        elif self._waiting:  # the next is the probe
            self._timer = asyncio.get_running_loop().call_later(PROBE_S, self._end_probing)
        return False

    def _probe_again(self) -> None:
        self.limit = 1.0
        self._timer = asyncio.get_running_loop().call_later(PROBE_S, self._end_probing)
        self._wake()

    def _end_probing(self) -> None:
        self.limit, self._is_probing = float(self.maximum), False
        self._wake()

    def _decrease(self, ticket: int, kind: str) -> None:
        # A request from before the last decrease says nothing about the reduced limit.
        if ticket != self._epoch:
            return
        self._epoch += 1
        self.limit = max(1.0, min(self.limit, self.in_flight + 1) * DECREASE)
        self.backed_off[kind] = self.backed_off.get(kind, 0) + 1

    def _wake(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            future = self._waiting.popleft()
            if not future.done():
                self.in_flight += 1  # for the waiter, so that no other request takes the place
                future.set_result(None)


class ModelLimits:
    """Everything that paces the requests to one model."""

    def __init__(
        self,
        *,
        stop_signal: StopSignal,
        clock: Callable[[], float],
        max_connections: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        share_connections: bool = False,
    ) -> None:
        """Args:
        stop_signal: the session's stop signal.
        clock: returns the time in seconds.
        max_connections: most requests in flight.
        requests_per_minute: the settings' limit, if there is one.
        tokens_per_minute: the settings' limit, if there is one.
        share_connections: whether requests in flight share one connection, as in a batch.
        """
        self.connections = 1 if share_connections else max_connections
        """Most connections that are open at the same time."""
        self.concurrency = AdaptiveConcurrency(max_connections, stop_signal)
        self._stop_signal = stop_signal
        self._requests = _bucket(requests_per_minute, clock)
        self._tokens = _bucket(tokens_per_minute, clock)
        self.is_paced = self._requests is not None or self._tokens is not None
        """Whether the settings limit this model's rate."""
        self._answer_tokens = FIRST_ANSWER_TOKENS
        self._answers = 0
        self._turn = asyncio.Lock()
        self._next: asyncio.Future[None] | None = None
        """The future that the first request in the queue waits for."""
        self.waiting_for_rate = 0
        """Number of requests that wait for the settings' rate limits."""

    @property
    def in_flight(self) -> int:
        """Number of requests that were sent and have no answer yet."""
        return self.concurrency.in_flight - self.waiting_for_rate

    async def pace(self, expected_prompt_tokens: float) -> float:
        """Wait until the rates allow another request; return its expected number of tokens.

        Requests are sent in the order of the calls. A request's tokens are estimated when its turn
        comes, so that the estimate uses all answers so far.

        Raises:
            Stopped: the session was stopped.
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
        """Replace an expected number of tokens by the server's count.

        Args:
            expected: the number that `pace` returned.
            actual: the tokens of prompt and answer.
            answer: the tokens of the answer.
        """
        self._answers += 1
        self._answer_tokens += (answer - self._answer_tokens) / min(self._answers, AVERAGED)
        if self._tokens:
            self._tokens.take(actual - expected)
            if self._next is not None:  # the first in the queue may go now
                resolve(self._next)

    def _wait_s(self, prompt: float) -> float:
        wait = self._requests.wait_s(1) if self._requests else 0.0
        if self._tokens:
            wait = max(wait, self._tokens.wait_s(prompt + self._answer_tokens))
        return wait

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but wake early when an estimate is corrected."""
        loop = asyncio.get_running_loop()
        self._next = loop.create_future()
        handle = loop.call_later(seconds, resolve, self._next)
        try:
            await self._stop_signal.wait(self._next)
        finally:
            handle.cancel()
            self._next = None


def expected_tokens(request: ChatRequest) -> float:
    """Estimate the number of tokens in a request's prompt."""
    if request.prompt is not None:
        return len(request.prompt) / BYTES_PER_TOKEN
    messages = request.messages
    characters = sum(_length(message) for message in messages)
    if request.tools:
        characters += len(str(request.tools))
    return characters / BYTES_PER_TOKEN + 4 * len(messages)


def _length(message: Message) -> int:
    content = message.content
    if isinstance(content, str):
        calls = message.tool_calls
        return len(content) + (sum(len(text) for call in calls for text in call) if calls else 0)
    return sum(map(_part_length, content or ()))


def _part_length(part: Part) -> int:
    if part.get("media_type") == TEXT:  # a text file
        return int(part.get("bytes", 0))
    return len(str(part.get("text") or "")) or IMAGE_LENGTH


def _bucket(per_minute: float | None, clock: Callable[[], float]) -> TokenBucket | None:
    return TokenBucket(per_minute, clock=clock) if per_minute else None
