"""One thread that answers requests in batches, so that the event loop never waits for a network."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Question = TypeVar("Question")

GATHER_S = 0.005
"""How long to wait for one more request: those of one moment come within it."""


@dataclass(eq=False, slots=True)
class Job(Generic[Question]):
    """A request and who waits for its answer."""

    question: Question
    future: Future[Any] = field(default_factory=Future)
    abandoned: bool = False
    """Whether nobody waits any more, though it is under way."""


Answer = Callable[[Sequence[Job[Question]]], None]
"""Sets the result or the exception of every job's future."""


class Worker(Generic[Question]):
    """Gathers jobs and has them answered, batch by batch. The thread starts with the first job."""

    def __init__(self, answer: Answer[Question], *, batch_size: int, name: str) -> None:
        """Args:
        answer: called in the thread, one batch at a time.
        batch_size: most jobs of a batch.
        name: of the thread.
        """
        self._answer = answer
        self._batch_size = batch_size
        self._name = name
        self._jobs: queue.SimpleQueue[Job[Question] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, question: Question) -> Job[Question]:
        """Put a request into the next batch."""
        job = Job(question)
        self._jobs.put(job)
        if self._thread is None:
            # A daemon: an interrupted run must not wait for a long answer.
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return job

    def close(self) -> None:
        """Answer what is waiting, then end the thread. Blocks until it has ended."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        goes_on = True
        while goes_on:
            batch, goes_on = self._gather()
            wanted = [job for job in batch if job.future.set_running_or_notify_cancel()]
            if wanted:
                self._answer_safely(wanted)

    def _gather(self) -> tuple[list[Job[Question]], bool]:
        """Return the next batch, and whether more may come."""
        batch: list[Job[Question]] = []
        while len(batch) < self._batch_size:
            try:
                job = self._jobs.get(timeout=GATHER_S if batch else None)
            except queue.Empty:
                break
            if job is None:
                return batch, False
            batch.append(job)
        return batch, True

    def _answer_safely(self, batch: Sequence[Job[Question]]) -> None:
        try:
            self._answer(batch)
        # Whatever happens, somebody waits for it: the thread must not die with it.
        except BaseException as error:
            for job in batch:
                if not job.future.done():
                    job.future.set_exception(error)
