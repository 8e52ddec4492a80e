"""Workers of a cluster in this process, which can be killed: what they say travels as bytes."""

from __future__ import annotations

import asyncio
import pickle
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from lve.extensions.ray.connections import WorkerLostError
from lve.extensions.ray.messages import Setup
from lve.extensions.ray.worker import Worker
from lve.settings.model_settings import WorkerShape

_GONE = object()


class LocalConnection:
    """A worker."""

    def __init__(self, setup: Setup, ends: Callable[[str], bool]) -> None:
        self._ends = ends
        self._batches: asyncio.Queue[Any] = asyncio.Queue()
        self.said: list[Any] = []
        self.sent: list[Any] = []
        self.is_gone = False
        self.worker = Worker(pickle.loads(pickle.dumps(setup)), self._say)

    def _say(self, messages: list[Any]) -> None:
        if not self.is_gone:
            self.said += messages
            self._batches.put_nowait(pickle.dumps(messages))

    def send(self, messages: list[Any]) -> None:
        self.sent += messages
        content = pickle.dumps(messages)
        asyncio.get_running_loop().call_later(0.001, self._arrived, content)

    def _arrived(self, content: bytes) -> None:
        if self._ends(repr(pickle.loads(content))):
            self.kill()
        if not self.is_gone:
            self.worker.receive(pickle.loads(content))

    def add_files(self, key: str, content: Any) -> None:
        # It may come after the first instances.
        asyncio.get_running_loop().call_later(0.005, self.worker.add_files, key, content)

    async def batch(self) -> list[Any]:
        found = await self._batches.get()
        if found is _GONE:
            raise WorkerLostError("it was killed")
        messages: list[Any] = pickle.loads(found)
        return messages

    async def ping(self) -> None:
        pass

    def kill(self) -> None:
        """End it as SIGKILL does: nothing that it hasn't said arrives."""
        self.is_gone = True
        while not self._batches.empty():
            self._batches.get_nowait()
        self._batches.put_nowait(_GONE)
        self.worker.engine.cancel()


class LocalLauncher:
    """Starts workers in this process."""

    def __init__(self, number: int, *, kill_every_s: float = 0.0, seed: int = 0) -> None:
        """Args:
        number: of workers.
        kill_every_s: kills one now and then.
        seed: says which.
        """
        self.number = number
        self.connections: list[LocalConnection] = []
        self.killed = 0
        self.is_leaving = False
        self.is_closed = threading.Event()
        self.failures: list[Exception] = []
        """What starting the next workers raises."""
        self.ended_by = ""
        """A worker that gets an instance with this text is gone."""
        self.ends = 1000
        """How often."""
        self._chance = random.Random(seed)
        self._kill_every_s = kill_every_s
        self._killing: asyncio.Task[None] | None = None

    def count(self, shape: WorkerShape) -> int:
        return shape.replicas or self.number

    async def start(self, shape: WorkerShape, setup: Setup) -> LocalConnection:
        await asyncio.sleep(0.001)
        if self.failures:
            raise self.failures.pop(0)
        connection = LocalConnection(setup, self._ends)
        self.connections.append(connection)
        if self._kill_every_s and self._killing is None:
            self._killing = asyncio.ensure_future(self._kill())
        return connection

    def put(self, content: bytes) -> bytes:
        return content

    def _ends(self, said: str) -> bool:
        if not self.ended_by or self.ended_by not in said or self.ends == 0:
            return False
        self.ends -= 1
        return True

    async def close(self, *, hurried: bool) -> None:
        self.is_closed.set()
        if self._killing is not None:
            self._killing.cancel()
        for connection in self.connections:
            await connection.worker.close()

    async def _kill(self) -> None:
        while True:
            await asyncio.sleep(self._chance.uniform(0.5, 1.5) * self._kill_every_s)
            living = [connection for connection in self.connections if not connection.is_gone]
            if living:
                self._chance.choice(living).kill()
                self.killed += 1


@contextmanager
def cluster_of(launcher: LocalLauncher) -> Iterator[LocalLauncher]:
    """Have runs with `ray=` use these workers."""
    with (
        patch("lve.extensions.ray.starting.RayLauncher", lambda address: launcher),
        # Its workers are here, not in a child.
        patch("lve.extensions.ray.driver.in_child", lambda work: work()),
        patch("lve.extensions.ray.python_driver.result_of_child", lambda run, warn: run(warn)),
    ):
        yield launcher
