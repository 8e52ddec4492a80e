"""The workers of one shape: starts them, replaces those that are lost, says which has room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from itertools import count
from typing import Any

from lve.error_boundary import unexpected
from lve.errors import LveError, SessionError, with_code
from lve.pipeline.cluster.links import Link, Seat, WorkerLostError

TOGETHER_S = 5.0
"""How long the first worker waits for the others to start, so that each gets as much as it."""
SAID_AFTER_S = 15.0
"""How long nothing is said while no worker starts."""
MAX_FAILED = 4
"""Workers that may end, one after the other, before they have done anything."""


class Group:
    """Workers of one shape."""

    def __init__(
        self,
        number: int,
        start: Callable[[], Awaitable[Link]],
        handle: Callable[[Seat, list[Any]], None],
        lost: Callable[[Seat], None],
        warn: Callable[[str], None],
    ) -> None:
        """Args:
        number: of workers.
        start: starts one, as `Links.start`.
        handle: takes a batch of messages of a worker.
        lost: called when a worker is gone.
        warn: called with each warning.
        """
        self.number = number
        self.seats: list[Seat] = []
        self.failure: LveError | None = None
        """Why there are no workers any more."""
        self._start, self._handle, self._lost, self._warn = start, handle, lost, warn
        self._numbers = count()
        self._failed = 0
        self._is_open = False
        self._waiting: list[asyncio.Future[None]] = []
        self._tasks: set[asyncio.Future[Any]] = set()

    async def begin(self) -> None:
        """Start the first worker, then begin to start the others.

        Raises:
            UsageError: as `Links.start`.
            SessionError: it ended at once.
        """
        if self.seats or self._tasks:
            return
        saying = asyncio.get_running_loop().call_later(SAID_AFTER_S, self._say_busy)
        try:
            link = await self._start()
        except WorkerLostError as error:
            raise _none_starts(error) from None
        finally:
            saying.cancel()
        self._seat(link)
        others = [self._task(self._add()) for _ in range(self.number - 1)]
        self._task(self._open(others))

    def free(self, most: int, among: int, *, alone: bool = False) -> Seat | None:
        """Return the worker with the fewest instances that has room for another one.

        Args:
            most: instances that one may have.
            among: only so many workers, always the same ones.
            alone: whether it must have none, and is reserved until `Seat.is_reserved` is unset.
        """
        if not self._is_open:
            return None
        living = [one for one in self.seats if not (one.has_ended or one.is_reserved)][:among]
        seat = min(living, key=lambda one: len(one.jobs), default=None)
        if seat is None or len(seat.jobs) >= (1 if alone else most):
            return None
        seat.is_reserved = alone
        return seat

    def change(self) -> asyncio.Future[None]:
        """Return a future that is done when there may be room."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def wake(self) -> None:
        """Let all look again who wait for room. There are few, as no more instances are under way
        than workers have room for, unless some are lost."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)

    def close(self) -> None:
        """Start and replace no more."""
        for task in (*self._tasks, *(task for seat in self.seats for task in seat.tasks)):
            task.cancel()

    async def _open(self, others: Sequence[asyncio.Future[Any]]) -> None:
        """Let instances be handed out when all workers are there, or nearly."""
        if others:
            await asyncio.wait(others, timeout=TOGETHER_S)
        self._is_open = True
        self.wake()

    async def _add(self) -> None:
        """Start a worker; start it again if it ends before it is ready."""
        while self.failure is None:
            try:
                link = await self._start()
            except WorkerLostError as error:
                self._count_failed(error)
            except LveError as error:  # another version of lve there, say
                self._fail(error)
            else:
                self._seat(link)
                return

    def _seat(self, link: Link) -> None:
        seat = Seat(next(self._numbers), link)
        self.seats.append(seat)
        self._task(self._serve(seat))
        self.wake()

    async def _serve(self, seat: Seat) -> None:
        """Take what a worker says as long as it lives, then replace it."""
        try:
            while True:
                self._handle(seat, await seat.link.batch())
        except WorkerLostError as error:
            self.seats.remove(seat)
            self._lost(seat)
            if seat.has_worked:
                self._failed = 0
            else:
                self._count_failed(error)
            self.wake()
        except Exception as error:  # a bug: whoever waits must hear of it
            self.failure = unexpected(error, "taking what a worker says")
            seat.lose(self.failure)
            self.wake()
        await self._add()

    def _count_failed(self, error: Exception) -> None:
        self._failed += 1
        if self._failed >= MAX_FAILED:
            self._fail(_none_starts(error))

    def _fail(self, error: LveError) -> None:
        if not any(not seat.has_ended for seat in self.seats):
            self.failure = self.failure or error
        self.wake()

    def _say_busy(self) -> None:
        said = "no worker has started yet; `ray status` says what the cluster is busy with"
        self._warn(with_code(said, "ray"))

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _none_starts(error: Exception) -> SessionError:
    return SessionError(
        f"the workers of the cluster end as soon as they start ({error}); what is done is kept: go "
        "on with `lve run --resume last`",
        code="ray",
    )
