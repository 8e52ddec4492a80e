"""A thread that talks to a team's store, so that the event loop doesn't wait.

If the server can't be reached, requests wait for up to `AWAY_S`, with one warning; for up to
`CLOSING_S` if the session was stopped or ends.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from lve.errors import LveError, with_code
from lve.execution.stop import StopSignal
from lve.extensions.store.driver import describe_error, is_transient
from lve.extensions.store.postgres import PostgresStore, StoreReply, StoreRequest

AWAY_S = 120.0
"""Seconds to wait for a server that can't be reached."""
CLOSING_S = 5.0
"""The same, if the session ends."""
CANCELLED_S = 1.0
"""The same, if the user has pressed Ctrl-C twice."""
AGAIN_S = 0.25
"""Seconds between two attempts."""
_ENDED_S = 0.005
"""Seconds between two checks whether the thread has ended."""
_DOING = "When that is mended, go on with `lve run --resume last`, or use --no-cache"
Done = Callable[[StoreReply | LveError], None]


class StoreThread:
    """Sends requests to the store, one after the other, and renews the claims in time."""

    def __init__(
        self,
        store: PostgresStore,
        tell: Callable[[str], None],
        *,
        stop_signal: StopSignal,
        away_s: float,
    ) -> None:
        """
        Args:
            store: the team's store.
            tell: called in the thread with each warning.
            stop_signal: the session's stop signal.
            away_s: seconds to wait for a server that can't be reached.
        """
        self.failure: LveError | None = None
        """The error after which no request is sent any more."""
        self.closing_s = CLOSING_S
        self._store = store
        self._tell = tell
        self._stop_signal = stop_signal
        self._away_s = away_s
        self._closing = threading.Event()
        self._work: SimpleQueue[tuple[StoreRequest, Done] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="lve-store", daemon=True)
        self._thread.start()

    def do(self, request: StoreRequest, done: Done) -> None:
        """Queue a request; `done` is called with its reply, in the thread."""
        self._work.put((request, done))

    async def aclose(self, last: StoreRequest) -> None:
        """Send a last request and end the thread, or abandon the thread if the server doesn't
        answer."""
        if last.rows or last.released:
            self.do(last, _ignore)
        self._work.put(None)
        self._closing.set()
        began = time.monotonic()
        is_alive = self._thread.is_alive
        while is_alive() and time.monotonic() - began < self.closing_s:  # noqa: ASYNC110 (a thread)
            await asyncio.sleep(_ENDED_S)
        self._store.server.give_up()

    def _serve(self) -> None:
        renewed = time.monotonic()
        while True:
            every = self._store.lease_s / 3
            try:
                work = self._work.get(timeout=max(0.01, renewed + every - time.monotonic()))
            except Empty:
                work = (StoreRequest(), _ignore)
            if work is None:
                self._store.server.disconnect()
                return
            request, done = work
            is_due = time.monotonic() - renewed >= every
            with suppress(RuntimeError):  # the loop was closed meanwhile
                done(self._tried(request, renew=is_due))
            if is_due:
                renewed = time.monotonic()

    def _tried(self, request: StoreRequest, *, renew: bool) -> StoreReply | LveError:
        """Send a request; repeat it while the server can't be reached."""
        began, warned = time.monotonic(), False
        while self.failure is None:
            try:
                if renew:
                    self._store.renew()
                return self._store.send(request)
            except LveError as error:
                self.failure = error
            except Exception as error:  # whatever it is, the caller must get it
                self._store.server.disconnect()
                if not is_transient(error) or time.monotonic() - began > self._patience_s:
                    self.failure = self._store.server.refusal(error, _DOING)
                    continue
                if not warned:
                    warned = True
                    self._warn(error)
                time.sleep(AGAIN_S)
        return self.failure

    @property
    def _patience_s(self) -> float:
        is_ending = self._closing.is_set() or self._stop_signal.reason is not None
        return self.closing_s if is_ending else self._away_s

    def _warn(self, error: Exception) -> None:
        self._tell(
            with_code(
                f"the store {self._store.server.place} doesn't answer: {describe_error(error)}; "
                f"waiting for up to {self._away_s:g} s",
                "store",
            )
        )


def _ignore(outcome: StoreReply | LveError) -> None:
    """Do nothing: no caller waits for a renewal, or for the last request."""
