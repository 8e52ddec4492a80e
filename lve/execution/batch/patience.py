"""Asks a provider again and again until it has what is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lve.errors import TransientModelError
from lve.execution.stop import INTERRUPTED, StopSignal
from lve.models.batch import UNDECIDED

Answer = TypeVar("Answer")
FIRST_POLL_S = 0.5
SLOWEST_POLL_S = 60.0
MOST_FAILURES = 30
"""Attempts in a row to learn how far a batch is: about half an hour."""
LONGEST_WAIT_S = 30 * 3600.0
"""Seconds for one batch. Providers end it after a day."""


class Patience:
    """How long one model's batches are waited for."""

    def __init__(
        self, stop_signal: StopSignal, wait_s: float | None, say: Callable[[str], None]
    ) -> None:
        """Args:
        stop_signal: of the session.
        wait_s: seconds to wait; then the session ends, and can be resumed.
        say: tells the user that it does.
        """
        self._stop_signal = stop_signal
        self._wait_s = wait_s or LONGEST_WAIT_S
        self._say = say

    async def ask(
        self,
        attempt: Callable[[], Awaitable[Answer]],
        is_enough: Callable[[Answer], bool],
        most_failures: int = MOST_FAILURES,
    ) -> Answer:
        """Ask until the answer is enough, less and less often, and return it.

        Args:
            attempt: asks once.
            is_enough: whether an answer is enough.
            most_failures: how many attempts may fail one after the other.

        Raises:
            TransientModelError: too many have failed.
            ModelError: one has failed for good.
            Stopped: the session was stopped.
        """
        loop = asyncio.get_running_loop()
        pause_s, failures = FIRST_POLL_S, 0
        ends_at = loop.time() + self._wait_s
        while True:
            try:
                answer = await attempt()
                failures = 0
                if is_enough(answer):
                    return answer
            except TransientModelError as error:
                failures += error.kind != UNDECIDED
                if failures >= most_failures:
                    raise
                pause_s = min(max(pause_s, error.retry_after_s or 0.0), SLOWEST_POLL_S)
            if loop.time() + pause_s > ends_at:
                self._say("a batch isn't over yet; what was submitted goes on")
                self._stop_signal.set(INTERRUPTED)
            await self._stop_signal.sleep(pause_s)
            pause_s = min(2 * pause_s, SLOWEST_POLL_S)
