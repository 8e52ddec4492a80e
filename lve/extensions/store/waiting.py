"""Waits for the answers that others have claimed: other machines in a team's store, or other
processes on this machine that use a cache file.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable

from lve.errors import with_code
from lve.execution.cache.cache import CompletionCache
from lve.execution.cache.contract import Claims
from lve.execution.cache.users import CacheUsers
from lve.execution.stop import StopSignal
from lve.messages import Completion

POLL_S = 0.25
"""Seconds between two lookups of an answer that somebody else asks for, at first."""
MAX_POLL_S = 2.0
"""The same, if it takes long: tens of thousands of answers of a batch may be waited for."""
CLAIMED_ELSEWHERE = object()
"""The result of a lookup if somebody else has claimed the key."""


class WaitingClaims(Claims):
    """Claims whose holders are waited for, but not for ever."""

    poll_s, max_poll_s = POLL_S, MAX_POLL_S

    def __init__(
        self, silent: str, code: str, *, stop_signal: StopSignal, warn: Callable[[str], None]
    ) -> None:
        """
        Args:
            silent: the beginning of the warning about a holder that hasn't answered in time.
            code: the code of warnings.
            stop_signal: the session's stop signal.
            warn: called in the event loop's thread with each warning.
        """
        self._silent, self._code = silent, code
        self._stop_signal = stop_signal
        self._warn = warn
        self._warned: set[str] = set()
        self._patience = _Patience()

    async def claim(self, key: str, patience_s: float) -> Completion | None:
        """Return the completion, or None if the caller has to ask (see `Claims.claim`)."""
        began: float | None = None
        pause_s = self.poll_s
        while True:
            if not self._is_waited_for(key):
                answer = await self._look(key)
                if isinstance(answer, Completion) and began is not None:
                    self._patience.answered()
                if answer is None or isinstance(answer, Completion):
                    return answer
                began = began or time.monotonic()
                if self._patience.is_over(began, patience_s):
                    self._warn_once(f"{self._silent} for {patience_s:g} s: asking it here, too")
                    self._take(key)  # other callers in this process wait for this one
                    return None
            await self._stop_signal.sleep(pause_s)
            pause_s = min(pause_s * 1.2, self.max_poll_s)

    @abstractmethod
    def _is_waited_for(self, key: str) -> bool:
        """Whether another caller in this process looks a key up, or asks for it."""

    @abstractmethod
    async def _look(self, key: str) -> object:
        """Return the completion under a key, None if it is claimed now, or `CLAIMED_ELSEWHERE`."""

    @abstractmethod
    def _take(self, key: str) -> None:
        """Note that this process asks for a key that somebody else has claimed."""

    def _warn_once(self, text: str) -> None:
        kind = text.partition(" ")[0]
        if kind not in self._warned:
            self._warned.add(kind)
            self._warn(with_code(text, self._code))


class _Patience:
    """How long to wait for other machines: half as long each time that none has answered in time,
    and fully again once one has. So claims that nobody will answer delay a run by at most twice the
    longest wait, however many there are."""

    def __init__(self) -> None:
        self._factor = 1.0
        self._halved_at = 0.0

    def answered(self) -> None:
        """Note that another machine's answer has arrived."""
        self._factor = 1.0

    def is_over(self, began: float, patience_s: float) -> bool:
        """Return whether a wait has lasted long enough.

        Args:
            began: when the wait began, by the monotonic clock.
            patience_s: how long it may last at first.
        """
        now = time.monotonic()
        if now - began < patience_s * self._factor:
            return False
        if began >= self._halved_at:  # waits at the same time count once
            self._factor, self._halved_at = self._factor / 2, now
        return True


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
