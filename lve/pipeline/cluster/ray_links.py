"""The only module that uses Ray: connects, starts workers, carries messages."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lve.child.child_process import child_environment
from lve.errors import MissingExtraError, UsageError
from lve.escape import excerpt
from lve.models.http.transport import PROXY_VARIABLES
from lve.pipeline.cluster.links import WorkerLostError
from lve.pipeline.cluster.messages import Setup
from lve.pipeline.threads import call_in_thread
from lve.settings.worker_shape import WorkerShape
from lve.version import __version__

HERE = "local"
"""The address that means: a cluster of this machine alone, for the time of the run."""
ANSWER_S = 10.0
"""Seconds within which the address of a cluster must answer."""
CLOSE_S = 2.0
"""Seconds that workers have to remove their files."""
STORE_BYTES = 512_000_000
"""Size of the object store of a cluster of this machine: it holds the files of tests."""
GB = 1_000_000_000


class RayLinks:
    """Starts workers in a Ray cluster."""

    def __init__(self, address: str) -> None:
        """Args:
        address: of the cluster; `local` for one of this machine.

        Raises:
            MissingExtraError: Ray isn't installed.
            UsageError: there is no such cluster.
        """
        try:
            import ray
        except ImportError:
            raise MissingExtraError("`--ray` needs Ray: pip install 'lve[ray]'") from None
        self._ray = ray
        self._address = address
        self._is_own = not ray.is_initialized()
        self._actors: list[Any] = []
        self.is_closed = threading.Event()
        logging.getLogger("ray").setLevel(logging.ERROR)
        if self._is_own:
            _connect(ray, address)
        self._class = ray.remote(_Actor)

    def count(self, shape: WorkerShape) -> int:
        """Return how many workers of a shape there is room for: one at least."""
        if shape.replicas is not None:
            return shape.replicas
        there = self._ray.cluster_resources()
        room = there.get("CPU", 1) / shape.num_cpus
        if shape.num_gpus:
            room = min(room, there.get("GPU", 0) / shape.num_gpus)
        return max(1, int(room))

    async def start(self, shape: WorkerShape, setup: Setup) -> RayLink:
        """Start a worker; return when it is ready.

        Raises:
            UsageError: its machine has another lve, or none.
            WorkerLostError: it ended before.
        """
        wanted = self._class.options(
            num_cpus=shape.num_cpus,
            num_gpus=shape.num_gpus,
            memory=shape.memory_gb and int(shape.memory_gb * GB),
            max_concurrency=1000,
        )
        actor = await call_in_thread(wanted.remote)  # it asks the cluster, which may be slow
        self._actors.append(actor)
        errors = self._ray.exceptions
        try:
            there = await actor.version.remote()
            if there != __version__:
                raise UsageError(
                    f"--ray {self._address}: a machine of the cluster has lve {there}, and this "
                    f"one {__version__}: install the same version",
                    code="ray",
                )
            await actor.begin.remote(setup)
        except errors.ActorUnschedulableError as error:
            raise self._refused("there is no room for a worker", error) from None
        except errors.RayTaskError as error:
            raise self._refused("a worker can't begin", error.cause) from None
        except errors.ActorDiedError as error:
            if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
                said = f"its machines can't start lve {__version__}, which has to be there"
                raise self._refused(said, error) from None
            raise WorkerLostError(_said(error)) from None
        except errors.RayError as error:
            raise WorkerLostError(_said(error)) from None
        return RayLink(self._ray, actor)

    def put(self, content: bytes) -> Any:
        """Lay files where workers find them."""
        return self._ray.put(content)

    async def close(self, *, hurried: bool) -> None:
        """End all workers, and leave the cluster. In a hurry, Ray leaves it when this process ends,
        and what the workers have on the disk is removed by the next ones."""
        ending = [asyncio.ensure_future(_ended(actor)) for actor in self._actors if not hurried]
        if ending:
            await asyncio.wait(ending, timeout=CLOSE_S)
        for actor in self._actors:
            with suppress(Exception):
                self._ray.kill(actor)
        if self._is_own and not hurried:
            await asyncio.to_thread(self._ray.shutdown)
            self.is_closed.set()

    def _refused(self, what: str, error: object) -> UsageError:
        return UsageError(f"--ray {self._address}: {what}: {_said(error)}", code="ray")


class RayLink:
    """Carries messages to a worker and back."""

    def __init__(self, ray: Any, actor: Any) -> None:
        """Args:
        ray: the module.
        actor: the worker.
        """
        self._ray = ray
        self._actor = actor
        self._batches = actor.batches.options(num_returns="streaming").remote()

    def send(self, messages: list[Any]) -> None:
        """Send a batch of messages."""
        with suppress(self._ray.exceptions.RayError):  # `batch` says that it is gone
            self._actor.receive.remote(messages)

    def add_files(self, key: str, content: Any) -> None:
        """Send the files of tests; `content` is what `RayLinks.put` returned."""
        with suppress(self._ray.exceptions.RayError):
            self._actor.add_files.remote(key, content)

    async def batch(self) -> list[Any]:
        """Return the next batch of its messages.

        Raises:
            WorkerLostError: it is gone.
        """
        try:
            messages: list[Any] = await (await anext(self._batches))
        except StopAsyncIteration:
            raise WorkerLostError("it has ended") from None
        except self._ray.exceptions.RayError as error:
            raise WorkerLostError(_said(error)) from None
        return messages

    def kill(self) -> None:
        """End it."""
        with suppress(Exception):
            self._ray.kill(self._actor)


class _Actor:
    """A `Worker` as Ray starts it."""

    def __init__(self) -> None:
        from lve.pipeline.cluster.worker import forget_variables

        forget_variables(own_variables(os.environ))
        self._sent: asyncio.Queue[list[Any]] = asyncio.Queue()
        self._worker: Any = None

    async def version(self) -> str:
        return __version__

    async def begin(self, setup: Setup) -> None:
        from lve.pipeline.cluster.worker import Worker

        self._worker = Worker(setup, self._sent.put_nowait)

    async def receive(self, messages: list[Any]) -> None:
        self._worker.receive(messages)

    async def add_files(self, key: str, content: bytes) -> None:
        self._worker.add_files(key, content)

    async def batches(self) -> Any:
        while True:
            messages = await self._sent.get()
            while not self._sent.empty():
                messages.extend(self._sent.get_nowait())
            yield messages

    async def close(self) -> None:
        if self._worker is not None:
            await self._worker.close()


async def _ended(actor: Any) -> None:
    with suppress(Exception):  # who is dead doesn't answer
        await actor.close.remote()


def own_variables(environment: Iterator[str] | Any) -> tuple[str, ...]:
    """Return the names of variables that Ray's processes keep beside those that programs need: its
    own, and the machine's proxies."""
    proxies = (*PROXY_VARIABLES, "no_proxy")
    return tuple(
        name
        for name in environment
        if name.startswith("RAY_") or name.lower() in proxies or name == "PYTHONPATH"
    )


def _connect(ray: Any, address: str) -> None:
    """Connect, quietly."""
    _check_answers(address)
    own: dict[str, Any] = {}
    if address == HERE:
        own = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        with _without_keys():
            ray.init(address, log_to_driver=False, configure_logging=False, **own)
    except Exception as error:
        raise UsageError(
            f"--ray {address}: no such cluster can be used: {_said(error)}", code="ray"
        ) from None


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens: Ray would end this process for it.

    Raises:
        UsageError: nobody does.
    """
    if address.startswith("ray://"):
        raise UsageError(
            f"--ray {address}: this is the address of Ray's client. Run lve on a machine of the "
            "cluster, with its address (HOST:6379) or `auto`",
            code="ray",
        )
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise UsageError(
            f"--ray {address}: nothing answers there: {error}; `ray start --head` prints the "
            "address of a cluster, such as 10.0.0.5:6379",
            code="ray",
        ) from None


@contextmanager
def _without_keys() -> Iterator[None]:
    """Keep the user's keys from the processes that Ray starts, which inherit the environment."""
    whole = dict(os.environ)
    kept = child_environment(whole, own_variables(whole))
    for name in set(whole) - set(kept):
        del os.environ[name]
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        yield
    finally:
        os.environ.update(whole)


def _said(error: object) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return excerpt(lines[-1], 300)
