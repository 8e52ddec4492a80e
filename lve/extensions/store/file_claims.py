"""Claims of keys in a cache file that several processes on this machine use."""

from __future__ import annotations

import time
from collections.abc import Callable

from lve.execution.cache.cache import CompletionCache
from lve.execution.cache.users import CacheUsers
from lve.execution.stop import StopSignal
from lve.extensions.store.waiting import CLAIMED_ELSEWHERE, WaitingClaims

YIELD_S = 5.0
"""Seconds in which a process that has used the cache alone should have noticed this one. If it
hasn't, it is stopped (Ctrl-Z), and is passed by."""


class FileClaims(WaitingClaims):
    """The claims of a process that uses a cache file beside others. The kernel ends those of a
    process that was killed."""

    poll_s, max_poll_s = 0.02, 1.0

    def __init__(
        self,
        cache: CompletionCache,
        users: CacheUsers,
        *,
        stop_signal: StopSignal,
        warn: Callable[[str], None],
    ) -> None:
        """
        Args:
            cache: the cache.
            users: this process among those that use it.
            stop_signal: the session's stop signal.
            warn: called with each warning.
        """
        super().__init__(
            "another run in this workspace hasn't answered a request that it holds",
            "cache",
            stop_signal=stop_signal,
            warn=warn,
        )
        self._cache = cache
        self._users = users
        self._began = time.monotonic()

    def release(self, key: str) -> None:
        """Give up the claim on a key, if it is still held, so that others may ask."""
        self._users.release(key)

    def _is_waited_for(self, key: str) -> bool:
        return key in self._cache.asking

    async def _look(self, key: str) -> object:
        if (answer := self._cache.get(key)) is not None:
            return answer
        if not self._users.claim(key) and not (self._passes_by() and self._users.claim(key)):
            return CLAIMED_ELSEWHERE
        answer = self._cache.get_anew(key)  # stored before the claim was given up
        if answer is not None:
            self._users.release(key)
        return answer

    def _passes_by(self) -> bool:
        return time.monotonic() - self._began > YIELD_S and self._users.pass_by()

    def _take(self, key: str) -> None:
        """Do nothing: the caller notes what it asks for (`CompletionStore.asking`)."""
