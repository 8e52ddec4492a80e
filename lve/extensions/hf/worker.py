"""A thread that answers requests in batches, so that the event loop never blocks on the model."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from lve.data_classes import dataclass, field

Question = TypeVar("Question")

GATHER_S = 0.005
"""Seconds to wait for further requests of a batch; requests made together arrive within them."""

PATIENCE_S = 5.0
"""Seconds that closing waits for an answer that nobody waits for any more."""
JOIN_S = 0.25


@dataclass(eq=False, slots=True)
class PendingAnswer(Generic[Question]):
    """A request and the future for its answer."""

    question: Question
    future: Future[object] = field(default_factory=Future)
    abandoned: bool = False
    """Whether the caller has stopped waiting for the answer."""
    begun: Any = None
    """What there is of the answer so far, for who answers."""


Answer = Callable[[Sequence[PendingAnswer[Question]]], Sequence[PendingAnswer[Question]]]
"""Answers requests: sets the result or the exception of their futures. Returns those that aren't
answered yet: they come again, before new ones."""


class Worker(Generic[Question]):
    """Gathers requests into batches and answers them in a thread, which the first one starts."""

    def __init__(self, answer: Answer[Question], *, batch_size: int, name: str) -> None:
        """Args:
        answer: called in the thread, one batch at a time.
        batch_size: maximum number of requests in a batch.
        name: name of the thread.
        """
        self._answer = answer
        self._batch_size = batch_size
        self._name = name
        self._waiting: queue.SimpleQueue[PendingAnswer[Question] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._unanswered: dict[Future[object], PendingAnswer[Question]] = {}

    def submit(self, question: Question) -> PendingAnswer[Question]:
        """Add a request to the next batch."""
        pending = PendingAnswer(question)
        self._unanswered[pending.future] = pending
        # A future keeps its callbacks: one that knew the request would be a circle of objects.
        pending.future.add_done_callback(self._forget)
        self._waiting.put(pending)
        if self._thread is None:
            # A daemon, because an interrupted run must not wait for a long answer.
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return pending

    def _forget(self, future: Future[object]) -> None:
        self._unanswered.pop(future, None)

    def close(self) -> None:
        """Answer the waiting requests, then end the thread. Blocks until then.

        A thread that works only on what nobody waits for any more is left behind after `PATIENCE_S`
        seconds: a hostile model must not keep the run from ending.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._waiting.put(None)
        patience_s = PATIENCE_S
        while thread.is_alive() and patience_s > 0:
            thread.join(JOIN_S)
            if all(pending.abandoned for pending in self._unanswered.copy().values()):
                patience_s -= JOIN_S

    def has_waiting(self) -> bool:
        """Return whether requests wait for the next batch."""
        return not self._waiting.empty()

    def _run(self) -> None:
        is_open, batch = True, list[PendingAnswer[Question]]()
        while is_open or batch:
            is_open = is_open and self._gather(batch)
            if batch:
                batch = [*self._answered(batch)]

    def _gather(self, batch: list[PendingAnswer[Question]]) -> bool:
        """Add what waits to the next batch, and return whether more may follow."""
        while len(batch) < self._batch_size:
            try:
                pending = self._waiting.get(timeout=GATHER_S if batch else None)
            except queue.Empty:
                break
            if pending is None:
                return False
            if pending.future.set_running_or_notify_cancel():
                batch.append(pending)
        return True

    def _answered(
        self, batch: Sequence[PendingAnswer[Question]]
    ) -> Sequence[PendingAnswer[Question]]:
        """Answer requests, and return those that aren't answered yet."""
        try:
            return self._answer(batch)
        # Whatever happens, the futures must be resolved and the thread must continue.
        except BaseException as error:
            for pending in batch:
                if not pending.future.done():
                    pending.future.set_exception(error)
            return ()
