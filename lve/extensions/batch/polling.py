"""Polls a provider until an answer is what was waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lve.errors import TransientModelError
from lve.execution.stop import INTERRUPTED, StopSignal
from lve.extensions.batch.api import UNDECIDED

Answer = TypeVar("Answer")
FIRST_POLL_S = 0.5
SLOWEST_POLL_S = 60.0
MAX_FAILURES = 30
"""Most attempts in a row that may fail to get a batch's status: about half an hour."""
LONGEST_WAIT_S = 30 * 3600.0
"""Most seconds to wait for a batch. Providers end a batch after a day."""


class Poller:
    """Polls for one model's batches."""

    def __init__(
        self, stop_signal: StopSignal, wait_s: float | None, say: Callable[[str], None]
    ) -> None:
        """Args:
        stop_signal: the session's stop signal.
        wait_s: seconds to wait; after that the session is stopped, and can be resumed.
        say: called with a notice when that happens.
        """
        self._stop_signal = stop_signal
        self._wait_s = wait_s or LONGEST_WAIT_S
        self._say = say

    async def poll(
        self,
        attempt: Callable[[], Awaitable[Answer]],
        is_enough: Callable[[Answer], bool],
        most_failures: int = MAX_FAILURES,
    ) -> Answer:
        """Make attempts, at growing intervals, until an answer is enough, and return it.

        Args:
            attempt: makes one attempt.
            is_enough: whether an answer is the one to return.
            most_failures: how many attempts in a row may fail.

        Raises:
            TransientModelError: too many attempts have failed.
            ModelError: an attempt has failed for good.
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
