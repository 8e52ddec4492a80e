"""A group of equal workers: starts them, replaces lost ones, and finds one that is free."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from itertools import count

from lve.error_boundary import unexpected
from lve.errors import LveError, SessionError, with_code
from lve.extensions.ray.connections import WorkerConnection, WorkerHandle, WorkerLostError

START_TOGETHER_S = 5.0
"""Seconds that the first worker waits for the others, so that all get equally many instances."""
BUSY_NOTICE_S = 15.0
"""Seconds without a worker after which the user is warned that the cluster is busy."""
PING_S = 5.0
"""Seconds between two questions to a worker whether it is alive."""
FROZEN_S = 30.0
"""Seconds without an answer to that after which a worker is ended, unless a completion has less."""
FROZEN = "a worker of the cluster hasn't answered for {:g} s: it is ended and replaced"
MAX_FAILED = 4
"""The session ends after so many workers in a row that ended before they ran anything, unless
another one lives."""


class WorkerGroup:
    """Workers of one shape, that is with the same CPUs, GPUs and memory."""

    def __init__(
        self,
        number: int,
        start: Callable[[], Awaitable[WorkerConnection]],
        handle: Callable[[WorkerHandle, list[object]], None],
        lost: Callable[[WorkerHandle], None],
        warn: Callable[[str], None],
        deadline_s: float | None = None,
    ) -> None:
        """Args:
        number: how many workers there are to be.
        start: starts one, as `WorkerLauncher.start`.
        handle: called with each batch of messages from a worker.
        lost: called when a worker is lost.
        warn: called with each warning.
        deadline_s: time limit of a completion, if the user gave one: a worker that was stopped is
            not waited for any longer.
        """
        self.number = number
        self.workers: list[WorkerHandle] = []
        self.failure: LveError | None = None
        """Why there are no workers any more; None while there are."""
        self._start, self._handle, self._lost, self._warn = start, handle, lost, warn
        self._frozen_s = min(FROZEN_S, max(deadline_s or FROZEN_S, PING_S))
        self._numbers = count()
        self._failed = 0
        self._is_open = False
        self._waiting: list[asyncio.Future[None]] = []
        self._tasks: set[asyncio.Future[None]] = set()

    async def begin(self) -> None:
        """Start the first worker, then the others in the background.

        Raises:
            UsageError: as `WorkerLauncher.start`.
            SessionError: the first worker ended at once.
        """
        if self.workers or self._tasks:
            return
        warning = asyncio.get_running_loop().call_later(BUSY_NOTICE_S, self._warn_busy)
        try:
            connection = await self._start()
        except WorkerLostError as error:
            raise _none_starts(error) from None
        finally:
            warning.cancel()
        self._add(connection)
        others = [self._task(self._start_one()) for _ in range(self.number - 1)]
        self._task(self._open(others))

    def free(self, most: int, among: int, *, alone: bool = False) -> WorkerHandle | None:
        """Return the worker with the fewest instances, or None if all are busy.

        Args:
            most: most instances that a worker may have.
            among: look at the first so many workers only.
            alone: return an idle worker, and reserve it until its `is_reserved` is unset.
        """
        if not self._is_open:
            return None
        living = [
            handle for handle in self.workers if not (handle.has_ended or handle.is_reserved)
        ][:among]
        worker = min(living, key=lambda handle: len(handle.jobs), default=None)
        if worker is None or len(worker.jobs) >= (1 if alone else most):
            return None
        worker.is_reserved = alone
        return worker

    def change(self) -> asyncio.Future[None]:
        """Return a future that is done when a worker may be free."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def wake(self) -> None:
        """Complete the futures from `change`.

        There are few, since no more instances are in flight than the workers have room for, unless
        workers were lost.
        """
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def close(self) -> None:
        """Start and replace no more workers."""
        for task in (*self._tasks, *(task for worker in self.workers for task in worker.tasks)):
            task.cancel()

    async def _open(self, others: Sequence[asyncio.Future[None]]) -> None:
        """Let workers get instances once all have started, or after `START_TOGETHER_S`."""
        if others:
            await asyncio.wait(others, timeout=START_TOGETHER_S)
        self._is_open = True
        self.wake()

    async def _start_one(self) -> None:
        """Start a worker; try again if it ends before it is ready."""
        while self.failure is None:
            try:
                connection = await self._start()
            except WorkerLostError as error:
                self._count_failed(error)
            except LveError as error:  # its machine has another version of lve, say
                self._fail(error)
            else:
                self._add(connection)
                return

    def _add(self, connection: WorkerConnection) -> None:
        worker = WorkerHandle(next(self._numbers), connection)
        self.workers.append(worker)
        self._task(self._serve(worker))
        worker.tasks.add(asyncio.ensure_future(self._watch(worker)))
        self.wake()

    async def _serve(self, worker: WorkerHandle) -> None:
        """Handle a worker's messages until it is lost, then replace it."""
        try:
            while True:
                self._handle(worker, await worker.connection.batch())
        except WorkerLostError as error:
            self.workers.remove(worker)
            self._lost(worker)
            if worker.has_worked:
                self._failed = 0
            else:
                self._count_failed(error)
            self.wake()
        except Exception as error:  # a bug: its instances must not wait for ever
            self.failure = unexpected(error, "handling a worker's messages")
            worker.lose(self.failure)
            self.wake()
        await self._start_one()

    async def _watch(self, worker: WorkerHandle) -> None:
        """End a worker that no longer answers: its process or machine is frozen. Its instances go
        to another one."""
        while not worker.has_ended:
            answered = asyncio.ensure_future(worker.connection.ping())
            await asyncio.wait({answered}, timeout=self._frozen_s)
            if not answered.done():
                answered.cancel()
                self._warn(with_code(FROZEN.format(self._frozen_s), "ray"))
                worker.connection.kill()
                return
            await asyncio.sleep(PING_S)

    def _count_failed(self, error: Exception) -> None:
        self._failed += 1
        if self._failed >= MAX_FAILED:
            self._fail(_none_starts(error))

    def _fail(self, error: LveError) -> None:
        if not any(not worker.has_ended for worker in self.workers):
            self.failure = self.failure or error
        self.wake()

    def _warn_busy(self) -> None:
        text = "no worker has started yet; `ray status` says what the cluster is busy with"
        self._warn(with_code(text, "ray"))

    def _task(self, work: Coroutine[object, None, None]) -> asyncio.Future[None]:
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
