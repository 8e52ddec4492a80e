"""What starts workers and carries messages to them, and a worker as the run sees it."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from lve.execution.budgets.budget import Budget, Reservation
from lve.pipeline.cluster.messages import Setup
from lve.pipeline.cluster.outbox import Outbox
from lve.results.records import InstanceResult
from lve.settings.model_settings import Price
from lve.settings.worker_shape import WorkerShape


class WorkerLostError(Exception):
    """The worker, or the machine that it ran on, isn't there any more."""


class Link(Protocol):
    """Carries messages to a worker and back."""

    def send(self, messages: list[Any]) -> None:
        """Send a batch of messages; nothing happens if the worker is gone."""
        ...

    def add_files(self, key: str, content: Any) -> None:
        """Send the files of tests, `content` is what `Links.put` returned."""
        ...

    async def batch(self) -> list[Any]:
        """Return the next batch of its messages.

        Raises:
            WorkerLostError: it is gone.
        """
        ...

    def kill(self) -> None:
        """End it."""
        ...


class Links(Protocol):
    """Starts workers."""

    def count(self, shape: WorkerShape) -> int:
        """Return how many workers of a shape there is room for: one at least."""
        ...

    async def start(self, shape: WorkerShape, setup: Setup) -> Link:
        """Start a worker; return when it is ready.

        Raises:
            UsageError: its machine can't run this lve.
            WorkerLostError: it ended before.
        """
        ...

    def put(self, content: bytes) -> Any:
        """Lay files where workers find them; return what `Link.add_files` needs."""
        ...

    async def close(self, *, hurried: bool) -> None:
        """End all workers.

        Args:
            hurried: whether the user has no patience left.
        """
        ...


class Seat:
    """A worker, as the run sees it."""

    def __init__(self, number: int, link: Link) -> None:
        """Args:
        number: no other one has it.
        link: to the worker.
        """
        self.number = number
        self.link = link
        self.outbox = Outbox(link.send)
        self.jobs: dict[int, asyncio.Future[InstanceResult]] = {}
        """What is under way there."""
        self.tests: set[int] = set()
        """That it knows."""
        self.files: set[str] = set()
        self.claimed: set[str] = set()
        """Keys of the cache that it has claimed."""
        self.leases: dict[int, tuple[Budget, Reservation, Price | None]] = {}
        """What it has reserved."""
        self.tasks: set[asyncio.Task[None]] = set()
        """What answers its questions."""
        self.is_reserved = False
        """Whether it has one instance and gets no other."""
        self.has_ended = False
        self.has_worked = False
        """Whether it has got an instance."""

    def lose(self, error: Exception) -> None:
        """Fail all that is under way there."""
        self.has_ended = True
        jobs, self.jobs = self.jobs, {}
        for future in jobs.values():
            if not future.done():
                future.set_exception(error)
