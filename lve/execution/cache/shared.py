"""A team's completions in PostgreSQL, for one event loop. A thread talks to the server.

What one turn of the loop wants travels together; while it is under way, the next turn collects.
When the server is away, everything that needs it waits for up to `AWAY_S`, with one warning.
"""

from __future__ import annotations

import threading
import time
from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Awaitable, Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from lve.errors import LveError, SessionError, with_code
from lve.execution.cache.contract import ClaimingStore
from lve.execution.cache.postgres import MAX_VALUE_BYTES, Found, PostgresStore, Turn
from lve.execution.cache.value import Stored, completion_from_stored, stored_row
from lve.messages import Completion

AWAY_S = 120.0
"""How long to wait for a server that is away."""
CLOSING_S = 5.0
"""The same, once the session ends."""
MAX_BATCH = 512
POLL_S = 0.25
"""Time between two looks for an answer that another machine asks for."""
_NOBODY = object()


class SharedCache(ClaimingStore):
    """Completions by request, shared by machines: one asks, the others wait for its answer."""

    def __init__(
        self, store: PostgresStore, *, warn: Callable[[str], None], away_s: float = AWAY_S
    ) -> None:
        self._store = store
        self._warn = warn
        self._away_s = away_s
        self._looking: dict[str, Future[Any]] = {}
        self._putting: list[tuple[Stored, Future[None]]] = []
        self._releasing: list[str] = []
        self._held: set[str] = set()
        self._is_busy = False
        self._failure: LveError | None = None
        self._loop: AbstractEventLoop | None = None
        self._work: SimpleQueue[tuple[Turn, Callable[[Found | LveError], None]] | None]
        self._work = SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="lve-store", daemon=True)
        self._thread.start()

    async def claim(self, key: str, pause: Callable[[float], Awaitable[None]]) -> Completion | None:
        """Return the completion, or None to the one who is to ask (see `ClaimingStore`)."""
        while True:
            if key not in self._held and key not in self._looking:
                found = await self._look(key)
                if found is None or isinstance(found, Completion):
                    return found
            await pause(POLL_S)

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; return when the server has committed it.

        Raises:
            SessionError: the server stayed away, or refuses it.
        """
        row = stored_row(key, completion, model)
        if len(row[3]) > MAX_VALUE_BYTES:
            return
        stored: Future[None] = get_running_loop().create_future()
        self._putting.append((row, stored))
        self._schedule()
        await stored
        self._held.discard(key)

    def release(self, key: str) -> None:
        """Let others ask, if the claim on a key is still held."""
        if key in self._held:
            self._releasing.append(key)
            self._schedule()

    def close(self) -> None:
        """Write what is pending, give up all claims, and end the connection."""
        pending = [row for row, _ in self._putting]
        released = [bytes.fromhex(key) for key in self._held]
        if (pending or released) and self._failure is None:
            self._work.put((Turn([], pending, released), self._closed))
        self._work.put(None)
        self._closing.set()
        self._thread.join()
        if self._failure is not None:
            self._warn(with_code(str(self._failure), "cache"))

    def _closed(self, outcome: Found | LveError) -> None:
        if isinstance(outcome, LveError):
            self._failure = outcome

    async def _look(self, key: str) -> Any:
        looked = get_running_loop().create_future()
        self._looking[key] = looked
        self._schedule()
        try:
            return await looked
        finally:
            if self._looking.get(key) is looked:
                del self._looking[key]
            if looked.done() and not looked.cancelled() and looked.exception() is None:
                self._note(key, looked.result())

    def _note(self, key: str, found: Any) -> None:
        if found is None:
            self._held.add(key)

    def _schedule(self) -> None:
        if self._is_busy:
            return
        self._is_busy = True
        self._loop = get_running_loop()
        self._loop.call_soon(self._send)

    def _send(self) -> None:
        """Hand over what has collected."""
        keys = list(self._looking)[:MAX_BATCH]
        puts = self._putting[:MAX_BATCH]
        del self._putting[: len(puts)]
        released, self._releasing = self._releasing, []
        looking = {key: self._looking[key] for key in keys}
        turn = Turn(
            sorted(bytes.fromhex(key) for key in keys),
            [row for row, _ in puts],
            [bytes.fromhex(key) for key in released],
        )
        loop = self._loop
        assert loop is not None

        def done(outcome: Found | LveError) -> None:
            loop.call_soon_threadsafe(self._resolve, looking, puts, released, outcome)

        self._work.put((turn, done))

    def _resolve(
        self,
        looking: dict[str, Future[Any]],
        puts: list[tuple[Stored, Future[None]]],
        released: list[str],
        outcome: Found | LveError,
    ) -> None:
        self._is_busy = False
        self._held.difference_update(released)
        for key, looked in looking.items():
            _settle(looked, outcome if isinstance(outcome, LveError) else _answer(key, outcome))
        for _, stored in puts:
            _settle(stored, outcome if isinstance(outcome, LveError) else None)
        if self._looking.keys() - looking.keys() or self._putting or self._releasing:
            self._schedule()

    def _serve(self) -> None:
        """The thread: do what is wanted, and renew the claims in time."""
        renewed = time.monotonic()
        while True:
            every = self._store.lease_s / 3
            try:
                work = self._work.get(timeout=max(0.01, renewed + every - time.monotonic()))
            except Empty:
                work = (Turn(), _ignore)
            if work is None:
                self._store.disconnect()
                return
            wanted, done = work
            is_due = time.monotonic() - renewed >= every
            with suppress(RuntimeError):  # the loop was closed meanwhile
                done(self._tried(wanted, renew=is_due))
            if is_due:
                renewed = time.monotonic()

    def _tried(self, wanted: Turn, *, renew: bool) -> Found | LveError:
        """Do a turn; wait while the server is away."""
        if self._failure is not None:
            return self._failure
        import psycopg

        began, warned = time.monotonic(), False
        while True:
            try:
                if renew:
                    self._store.renew()
                return self._store.turn(wanted)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                self._store.disconnect()
                limit_s = CLOSING_S if self._closing.is_set() else self._away_s
                if time.monotonic() - began > limit_s:
                    self._failure = self._lost(error)
                    return self._failure
                if not warned:
                    warned = True
                    self._tell(error)
                time.sleep(POLL_S)
            except LveError as error:
                self._failure = error
                return error
            except Exception as error:  # whatever it is, who waits must be told
                self._failure = self._lost(error)
                return self._failure

    def _tell(self, error: Exception) -> None:
        text = with_code(
            f"the store {self._store.place} doesn't answer ({self._store.reason(error)}): "
            f"waiting for up to {self._away_s:g} s",
            "cache",
        )
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._warn, text)

    def _lost(self, error: Exception) -> SessionError:
        return SessionError(
            f"the store {self._store.place} can't be used ({self._store.reason(error)}). When it "
            "is back, go on with `lve run --resume last`, or run without LVE_STORE",
            code="cache",
        )


def _answer(key: str, found: Found) -> Any:
    """Return a completion, None if the caller is to ask, `_NOBODY` if somebody else asks."""
    raw = bytes.fromhex(key)
    if raw in found.values:
        try:
            return completion_from_stored(found.values[raw], key)
        except (ValueError, KeyError, TypeError, RecursionError):  # damaged or forged: ask again
            return None
    return None if raw in found.claimed else _NOBODY


def _settle(future: Future[Any], value: Any) -> None:
    if future.done():
        return
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)


def _ignore(outcome: Found | LveError) -> None:
    """Nobody waits for a mere renewal."""
