"""The interfaces that start workers and carry messages to them, and the run's record of a
worker."""

from __future__ import annotations

import asyncio
from typing import Protocol

from lve.execution.budgets.budget import Budget, Reservation
from lve.extensions.ray.messages import Outbox, Setup
from lve.sessions.instance_result import InstanceResult
from lve.settings.model_settings import Price, WorkerShape


class WorkerLostError(Exception):
    """The worker, or the machine that it ran on, is gone."""


class WorkerConnection(Protocol):
    """Carries messages to a worker and back."""

    def send(self, messages: list[object]) -> None:
        """Send a batch of messages; nothing happens if the worker is gone."""
        ...

    def add_files(self, key: str, content: object) -> None:
        """Send the files of a test; `content` is what `WorkerLauncher.put` returned for them."""
        ...

    async def batch(self) -> list[object]:
        """Return the next batch of messages from the worker.

        Raises:
            WorkerLostError: the worker is gone.
        """
        ...

    async def ping(self) -> None:
        """Return when the worker answers; never if it was stopped or is gone."""
        ...

    def kill(self) -> None:
        """End the worker at once."""
        ...


class WorkerLauncher(Protocol):
    """Starts workers."""

    def count(self, shape: WorkerShape) -> int:
        """Return how many workers of a shape the cluster has room for: at least 1."""
        ...

    async def start(self, shape: WorkerShape, setup: Setup) -> WorkerConnection:
        """Start a worker; return when it is ready.

        Raises:
            UsageError: its machine can't run this lve.
            WorkerLostError: it ended before it was ready.
        """
        ...

    def put(self, content: bytes) -> object:
        """Store a test's files for all workers; return a reference for
        `WorkerConnection.add_files`."""
        ...

    async def close(self, *, hurried: bool) -> None:
        """End all workers.

        Args:
            hurried: whether to end them at once, because the user has pressed Ctrl-C twice.
        """
        ...


class WorkerHandle:
    """The run's record of a worker: its connection, its instances in flight, and its leases."""

    def __init__(self, number: int, connection: WorkerConnection) -> None:
        """Args:
        number: a number that no other worker has.
        connection: carries messages to the worker.
        """
        self.number = number
        self.connection = connection
        self.outbox = Outbox(connection.send)
        self.jobs: dict[int, asyncio.Future[InstanceResult]] = {}
        """Number of an instance in flight there -> the future of its result."""
        self.tests: set[int] = set()
        """Numbers of the tests that were sent."""
        self.files: set[str] = set()
        """Hashes of the tests' files that were sent."""
        self.claimed: set[str] = set()
        """Cache keys that it has claimed in a team's store."""
        self.leases: dict[int, tuple[Budget, Reservation, Price | None]] = {}
        """Number of a lease -> the reservation, its budget, and the model's price."""
        self.tasks: set[asyncio.Task[None]] = set()
        """Tasks that answer its calls."""
        self.is_reserved = False
        """Whether it runs one instance and gets no other meanwhile."""
        self.has_ended = False
        """Whether it gets no more instances."""
        self.has_worked = False
        """Whether it ever got an instance."""

    def lose(self, error: Exception) -> None:
        """End it: all instances in flight there get this error."""
        self.has_ended = True
        jobs, self.jobs = self.jobs, {}
        for future in jobs.values():
            if not future.done():
                future.set_exception(error)
