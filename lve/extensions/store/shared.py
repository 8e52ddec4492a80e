"""A team's completions in PostgreSQL, for use from an event loop; a thread talks to the server.

Everything that one turn of the loop wants is sent in one request. While that is in flight, the next
request is collected.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lve.errors import LveError
from lve.execution.cache.cache import MAX_BATCH
from lve.execution.cache.contract import ClaimingStore
from lve.execution.cache.value import Stored, completion_from_stored, stored_row
from lve.execution.stop import Stopped, StopSignal
from lve.extensions.store.postgres import MAX_VALUE_BYTES, PostgresStore, StoreReply, StoreRequest
from lve.extensions.store.store_thread import AWAY_S, CANCELLED_S, StoreThread
from lve.extensions.store.waiting import CLAIMED_ELSEWHERE, WaitingClaims
from lve.messages import Completion


class SharedCache(WaitingClaims, ClaimingStore):
    """A `ClaimingStore` on a team's server."""

    def __init__(
        self,
        store: PostgresStore,
        *,
        warn: Callable[[str], None],
        stop_signal: StopSignal,
        away_s: float = AWAY_S,
    ) -> None:
        """
        Args:
            store: the team's store.
            warn: called in the event loop's thread with each warning.
            stop_signal: the session's stop signal.
            away_s: seconds to wait for a server that can't be reached.
        """
        self._place = store.server.place
        super().__init__(
            f"another machine hasn't answered a request that it holds in the store {self._place}",
            "store",
            stop_signal=stop_signal,
            warn=warn,
        )
        self.asking: dict[str, list[Future[None]]] = {}
        self._looking: dict[str, Future[object]] = {}
        self._putting: list[tuple[Stored, Future[None]]] = []
        self._releasing: list[str] = []
        self._held: set[str] = set()
        self._is_busy = False
        self._is_reported = False
        """Whether a caller got the error after which nothing is stored any more."""
        self._thread = StoreThread(store, self._tell, stop_signal=stop_signal, away_s=away_s)
        self._loop: AbstractEventLoop | None = None

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; return when the server has committed it.

        A session that is stopped doesn't wait for that: the journal has the answer, too, and
        `aclose` still tries to write it.

        Raises:
            SessionError: the server can't be reached, or refuses.
        """
        row = stored_row(key, completion, model)
        if len(row[3]) > MAX_VALUE_BYTES:
            self._warn_once(
                f"an answer of {len(row[3]) / 1e6:,.0f} MB isn't shared in the store "
                f"{self._place}: at most {MAX_VALUE_BYTES / 1e6:,.0f} MB are"
            )
            return
        stored: Future[None] = get_running_loop().create_future()
        self._putting.append((row, stored))
        self._schedule()
        with suppress(Stopped):
            await self._stop_signal.wait(stored)
        self._held.discard(key)

    def release(self, key: str) -> None:
        """Give up the claim on a key, if it is still held, so that others may ask."""
        if key in self._held:
            self._releasing.append(key)
            self._schedule()

    def cancel(self) -> None:
        """Let `aclose` take no longer than a moment."""
        self._thread.closing_s = CANCELLED_S

    async def aclose(self) -> None:
        """Write what isn't written yet, give up all claims, and close the connection. Don't wait
        long for a server that doesn't answer."""
        pending = [row for row, _ in self._putting]
        released = [bytes.fromhex(key) for key in self._held]
        await self._thread.aclose(StoreRequest([], pending, released))
        if self._thread.failure is not None and not self._is_reported:
            self._warn(self._thread.failure.message_with_code)

    def _is_waited_for(self, key: str) -> bool:
        return key in self._held or key in self._looking

    def _take(self, key: str) -> None:
        self._held.add(key)

    async def _look(self, key: str) -> object:
        looked: Future[object] = get_running_loop().create_future()
        self._looking[key] = looked
        self._schedule()
        try:
            await self._stop_signal.wait(looked)
        except BaseException:
            if looked.done() and not looked.cancelled() and looked.exception() is None:
                self._forgo(key, looked.result())
            raise
        finally:
            if self._looking.get(key) is looked:
                del self._looking[key]
        answer = looked.result()
        if answer is None:
            self._held.add(key)
        return answer

    def _forgo(self, key: str, answer: object) -> None:
        """Give up the claim that a lookup has made, if any, because its caller was cancelled."""
        if answer is None:
            self._held.add(key)
            self.release(key)

    def _tell(self, text: str) -> None:
        """Warn from the thread."""
        with suppress(RuntimeError):  # the loop was closed meanwhile
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._warn, text)

    def _schedule(self) -> None:
        if self._is_busy:
            return
        self._is_busy = True
        self._loop = get_running_loop()
        self._loop.call_soon(self._send)

    def _send(self) -> None:
        """Pass what was collected to the thread."""
        keys = list(self._looking)[:MAX_BATCH]
        puts = self._putting[:MAX_BATCH]
        del self._putting[: len(puts)]
        released, self._releasing = self._releasing, []
        looking = {key: self._looking[key] for key in keys}
        turn = StoreRequest(
            sorted(bytes.fromhex(key) for key in keys),
            [row for row, _ in puts],
            [bytes.fromhex(key) for key in released],
        )
        loop = get_running_loop()

        def done(outcome: StoreReply | LveError) -> None:
            loop.call_soon_threadsafe(self._resolve, looking, puts, released, outcome)

        self._thread.do(turn, done)

    def _resolve(
        self,
        looking: dict[str, Future[object]],
        puts: list[tuple[Stored, Future[None]]],
        released: list[str],
        outcome: StoreReply | LveError,
    ) -> None:
        self._is_busy = False
        self._held.difference_update(released)
        waiting: tuple[Future[Any], ...] = (*looking.values(), *(stored for _, stored in puts))
        if isinstance(outcome, LveError) and not all(future.done() for future in waiting):
            self._is_reported = True
        for key, looked in looking.items():
            answer = outcome if isinstance(outcome, LveError) else _answer(key, outcome)
            if looked.done():  # cancelled meanwhile
                self._forgo(key, answer)
            _settle(looked, answer)
        for _, stored in puts:
            _settle(stored, outcome if isinstance(outcome, LveError) else None)
        if self._looking.keys() - looking.keys() or self._putting or self._releasing:
            self._schedule()


def _answer(key: str, reply: StoreReply) -> object:
    """Return a completion, None if the caller has to ask, or `CLAIMED_ELSEWHERE`."""
    raw = bytes.fromhex(key)
    if raw in reply.values:
        try:
            return completion_from_stored(reply.values[raw], key)
        except (ValueError, KeyError, TypeError, RecursionError):  # damaged or forged: ask again
            return None
    return None if raw in reply.claimed else CLAIMED_ELSEWHERE


def _settle(future: Future[Any], value: object) -> None:
    if future.done():
        return
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)
