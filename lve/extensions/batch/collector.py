"""Collects requests until no more come, submits them as one batch, and returns each its answer.

A conversation of several turns needs a batch per turn.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from lve.errors import AdjustedRequestError, ModelError, PermanentModelError, TransientModelError
from lve.execution.stop import Stopped, StopSignal
from lve.extensions.batch.api import BatchApi, BatchStatus
from lve.extensions.batch.log import Batch, BatchLog
from lve.extensions.batch.polling import Poller
from lve.json_types import JsonValue
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.plurals import amount, amount_of

QUIET_S = 0.5
"""A batch is submitted after so many seconds without a new request."""
MAX_SUBMISSIONS = 4
"""Most attempts to submit a batch: some seconds, or as long as the server asks to wait."""
NOT_FOUND = 404
"""HTTP status if the server doesn't know a batch."""


class BatchCollector:
    """Asks one model through its batch API. To a caller it looks like one request at a time."""

    def __init__(
        self,
        name: str,
        api: BatchApi,
        key_of: Callable[[ChatRequest], str],
        *,
        stop_signal: StopSignal,
        say: Callable[[str], None],
        log: Callable[[], BatchLog],
        wait_s: float | None = None,
    ) -> None:
        """Args:
        name: the model's name, as the user gave it.
        api: the provider's batch API.
        key_of: returns the cache key of a request.
        stop_signal: the session's stop signal.
        say: called with notices about the progress of batches.
        log: returns the session's `batches.jsonl`.
        wait_s: seconds to wait for a batch; after that the session ends, and can be resumed.
        """
        self._name = name
        self._api = api
        self._key_of = key_of
        self._stop_signal = stop_signal
        self._say = say
        self._open_log = log
        self._poller = Poller(stop_signal, wait_s, self._notify)
        self._log: BatchLog | None = None
        self._known: dict[str, Batch] = {}
        """Name of a request -> the batch of an earlier run that has it."""
        self._asked: Counter[str] = Counter()
        """Cache key -> number of requests with it so far."""
        self._open: dict[str, Batch] = {}
        """Kind of requests -> the batch that collects them."""
        self._all: list[Batch] = []

    def is_submitted(self, request: ChatRequest) -> bool:
        """Whether an earlier run has submitted this request, when `complete` gets it next."""
        self._read_log()
        key = self._key_of(request)
        return f"{key}-{self._asked[key]}" in self._known

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion when the batch of the request is over.

        Raises:
            ModelError: the request failed.
            Stopped: the session was stopped; the batch goes on.
        """
        self._read_log()
        written = self._api.write(request)
        key = self._key_of(request)
        name = f"{key}-{self._asked[key]}"
        self._asked[key] += 1
        batch = self._known.get(name)
        if batch is None:
            return await self._submit(name, request, written)
        return await self._earlier(batch, name, request, written)

    async def aclose(self) -> None:
        """Stop waiting for batches, which go on at the provider, and close connections."""
        for batch in self._all:
            if batch.task is not None and not batch.task.done():
                batch.task.cancel()
                await asyncio.wait({batch.task})
            if batch.over.done() and not batch.over.cancelled():
                batch.over.exception()  # or asyncio would report that nobody has looked at it
            batch.lines.close()
            batch.answers.close()
        await self._api.aclose()

    def _read_log(self) -> BatchLog:
        """Open `batches.jsonl` once, and load the batches that earlier runs have submitted."""
        if self._log is not None:
            return self._log
        self._log = log = self._open_log()
        for submission in log.earlier_of(self._name):
            batch = Batch(submission)
            self._all.append(batch)
            self._known.update(dict.fromkeys(submission.names, batch))
        return log

    async def _earlier(
        self, batch: Batch, name: str, request: ChatRequest, written: JsonValue
    ) -> Completion:
        """Return the answer to a request that an earlier run has submitted.

        Raises:
            AdjustedRequestError: the batch has no answer to it; the next attempt submits it again.
            ModelError: the batch's status isn't known.
        """
        if batch.task is None:
            batch.task = asyncio.create_task(self._run(batch, self._find_submitted))
        try:
            await self._stop_signal.wait(asyncio.shield(batch.over))
            return self._read(batch, name, request, written)
        except ModelError as error:
            if batch.status is None:
                raise
            raise AdjustedRequestError(str(error), kind="adjusted") from error

    async def _submit(self, name: str, request: ChatRequest, written: object) -> Completion:
        kind = self._api.kind(written)
        batch = self._open.get(kind) or self._new(kind)
        line = self._api.line(name, written, batch.token)
        if batch.names and self._is_full(batch, line):
            batch = self._new(kind)
            line = self._api.line(name, written, batch.token)
        batch.names.append(name)
        batch.lines.write(line)
        batch.last_at = asyncio.get_running_loop().time()
        await self._stop_signal.wait(asyncio.shield(batch.over))
        return self._read(batch, name, request, written)

    def _new(self, kind: str) -> Batch:
        """Begin another batch of a kind; the one before will be submitted."""
        batch = self._open[kind] = Batch()
        batch.last_at = asyncio.get_running_loop().time()
        self._all.append(batch)
        batch.task = asyncio.create_task(self._run(batch, self._gather, kind))
        return batch

    def _is_full(self, batch: Batch, line: bytes) -> bool:
        size = batch.lines.tell() + len(line)
        return len(batch.names) >= self._api.max_requests or size > self._api.max_bytes

    def _read(self, batch: Batch, name: str, request: ChatRequest, written: object) -> Completion:
        line, status = batch.answer(name), batch.status
        if line is not None and status is not None:
            return self._api.read(line, request, written, latency_s=status.took_s)
        if status is not None and status.problem is not None:
            # Many requests raise the same error, whose traceback would grow each time.
            raise status.problem.with_traceback(None)
        raise TransientModelError("the batch has no answer to this request", kind="empty")

    async def _run(self, batch: Batch, begin: Callable[..., Any], *args: Any) -> None:
        """Run a batch to its end, and complete its future `over`."""
        try:
            id_ = await begin(batch, *args)
            if id_ is None:  # it was never submitted
                batch.status = BatchStatus("")
            else:
                batch.status = await self._answered(batch, id_)
            batch.over.set_result(None)
        except Stopped:
            batch.over.cancel()  # everything that waits for it is stopped, too
        except TransientModelError as error:
            # A retry would submit another batch, although the state of this one isn't known.
            again = "; `lve run --retry-errors last` goes on from there" * self._is_kept
            permanent = PermanentModelError(
                f"{error}{again}", kind=error.kind, status=error.status, was_sent=error.was_sent
            )
            batch.over.set_exception(permanent)
        except Exception as error:  # requests wait for the future, so it must be completed
            batch.over.set_exception(error)

    async def _answered(self, batch: Batch, id_: str) -> BatchStatus:
        """Wait until a batch is over, fetch its answers, and return its last status.

        Raises:
            ModelError: the provider doesn't give them.
        """

        async def ask() -> BatchStatus:
            status = await self._api.status(id_)
            self._report_progress(batch, status)
            return status

        try:
            status = await self._poller.poll(ask, lambda status: status.is_over)
            await self._fetch(batch, status)
        except PermanentModelError as error:
            if error.status != NOT_FOUND:
                raise
            message = f"batch {id_} isn't there any more, or not for this key: a new run asks again"
            raise PermanentModelError(message, kind="gone", status=error.status) from error
        return status

    def _report_progress(self, batch: Batch, status: BatchStatus) -> None:
        """Report how many requests have answers, once for each tenth of them."""
        tenths = 10 * status.answered // max(1, len(batch.names))
        if tenths > batch.reported_tenths and not status.is_over:
            batch.reported_tenths = tenths
            count = amount_of(status.answered, len(batch.names), "request")
            self._notify(f"batch {status.id} has answered {count}")

    async def _gather(self, batch: Batch, kind: str) -> str | None:
        """Wait until no more requests come, and submit the batch."""
        loop = asyncio.get_running_loop()
        while self._open.get(kind) is batch:
            quiet_s = loop.time() - batch.last_at
            if quiet_s >= QUIET_S:
                del self._open[kind]
            else:
                await asyncio.sleep(QUIET_S - quiet_s)
        self._stop_signal.check()
        self._read_log().begin(batch.token, self._name, batch.names)
        id_ = await self._submitted(batch, kind)
        self._read_log().submitted(batch.token, id_)
        batch.lines.close()
        later = "`lve run --resume last` fetches the answers"
        if not self._is_kept:
            later = "nothing can fetch the answers then, because the session isn't kept"
        self._notify(
            f"batch {id_} with {amount(len(batch.names), 'request')} is submitted; "
            f"Ctrl-C leaves it running, and {later}"
        )
        return id_

    async def _submitted(self, batch: Batch, kind: str) -> str:
        """Submit a batch and return its id.

        After a failed attempt, the provider may have accepted the batch all the same. So each
        further attempt looks for it first.
        """
        attempts = 0

        async def submit() -> str:
            nonlocal attempts
            attempts += 1
            if attempts == 2:
                self._notify("the batch couldn't be submitted yet; lve tries again")
            accepted = None
            if attempts > 1:
                accepted = await self._api.find(batch.token, len(batch.names))
            return accepted or await self._api.submit(batch.lines, kind, batch.token)

        return await self._poller.poll(submit, lambda _: True, MAX_SUBMISSIONS)

    def _notify(self, text: str) -> None:
        self._say(f"{self._name}: {text}")

    @property
    def _is_kept(self) -> bool:
        """Whether a later run can continue with the batches of this one."""
        return self._read_log().is_kept

    async def _find_submitted(self, batch: Batch) -> str | None:
        """Return the id of a batch of an earlier run; None if it was never submitted."""
        earlier = batch.earlier
        assert earlier is not None
        if earlier.id is not None:
            return earlier.id
        find = partial(self._api.find, batch.token, len(batch.names))
        accepted = await self._poller.poll(find, lambda accepted: True)
        if accepted is not None:
            self._read_log().submitted(batch.token, accepted)
        return accepted

    async def _fetch(self, batch: Batch, status: BatchStatus) -> None:
        """Fetch the answers of a batch, and find the place of each."""

        async def fetch() -> None:
            batch.answers.seek(0)
            batch.answers.truncate()
            await self._api.fetch(status, batch.answers)

        await self._poller.poll(fetch, lambda _: True)
        batch.find_answers(self._api)
