"""Connects to a Ray cluster, starts workers there, carries messages. No other module uses Ray."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lve.child.child_command import child_environment
from lve.errors import MissingExtraError, UsageError
from lve.escape import excerpt
from lve.extensions.ray.connections import WorkerLostError
from lve.extensions.ray.messages import Setup
from lve.extensions.ray.own_cluster import leave, make_folder, require_token
from lve.models.http.connections.transport import PROXY_VARIABLES
from lve.pipeline.threads import call_in_thread
from lve.secrets.redaction import note_secrets
from lve.secrets.secret_values import find_secrets
from lve.settings.model_settings import WorkerShape
from lve.version import __version__

LOCAL = "local"
"""The address of a cluster that is started on this machine for the time of the run."""
CONNECT_S = 10.0
"""Seconds within which a cluster must accept a connection."""
CLOSE_S = 2.0
"""Seconds that workers have to remove their files."""
STORE_BYTES = 512_000_000
"""Size of a local cluster's object store, which holds the files of tests."""


class RayLauncher:
    """Starts workers in a Ray cluster."""

    def __init__(self, address: str) -> None:
        """Args:
        address: the cluster's address; `local` for one on this machine.

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
        self._folder: Path | None = None
        self._actors: list[Any] = []
        self.is_leaving = False
        self.is_closed = threading.Event()
        logging.getLogger("ray").setLevel(logging.ERROR)
        if self._is_own:
            self._folder = _connect(ray, address)
        self._class = ray.remote(_Actor)

    def count(self, shape: WorkerShape) -> int:
        """Return how many workers of a shape the cluster has room for: at least 1."""
        if shape.replicas is not None:
            return shape.replicas
        there = self._ray.cluster_resources()
        room = there.get("CPU", 1) / shape.num_cpus
        if shape.num_gpus:
            room = min(room, there.get("GPU", 0) / shape.num_gpus)
        return max(1, int(room))

    async def start(self, shape: WorkerShape, setup: Setup) -> RayConnection:
        """Start a worker; return when it is ready.

        Raises:
            UsageError: its machine has another version of lve, or none.
            WorkerLostError: it ended before it was ready.
        """
        actor_class = self._class.options(
            num_cpus=shape.num_cpus,
            num_gpus=shape.num_gpus,
            memory=shape.memory_gb and int(shape.memory_gb * 1e9),
            max_concurrency=1000,
        )
        actor = await call_in_thread(actor_class.remote)  # it waits for the cluster
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
                problem = f"its machines can't start lve {__version__}, which has to be there"
                raise self._refused(problem, error) from None
            raise WorkerLostError(_said(error)) from None
        except errors.RayError as error:
            raise WorkerLostError(_said(error)) from None
        return RayConnection(self._ray, actor)

    def put(self, content: bytes) -> object:
        """Store a test's files for all workers; return a reference to them."""
        return self._ray.put(content)

    async def close(self, *, hurried: bool) -> None:
        """End all workers, and disconnect from the cluster.

        If `hurried`, Ray disconnects when this process ends, and the next workers remove the files
        that these leave on the disk.
        """
        self.is_leaving = True
        ending = [asyncio.ensure_future(_ended(actor)) for actor in self._actors if not hurried]
        if ending:
            await asyncio.wait(ending, timeout=CLOSE_S)
        for actor in self._actors:
            with suppress(Exception):
                self._ray.kill(actor)
        if self._is_own and not hurried:
            await leave(self._ray.shutdown, self._folder)
            self.is_closed.set()

    def _refused(self, what: str, error: object) -> UsageError:
        return UsageError(f"--ray {self._address}: {what}: {_said(error)}", code="ray")


class RayConnection:
    """Carries messages to a worker and back."""

    def __init__(self, ray: Any, actor: Any) -> None:
        """Args:
        ray: the module.
        actor: the worker.
        """
        self._ray = ray
        self._actor = actor
        self._batches = actor.batches.options(num_returns="streaming").remote()

    def send(self, messages: list[object]) -> None:
        """Send a batch of messages."""
        with suppress(self._ray.exceptions.RayError):  # `batch` reports that the worker is gone
            self._actor.receive.remote(messages)

    def add_files(self, key: str, content: object) -> None:
        """Send the files of a test; `content` is what `RayLauncher.put` returned for them."""
        with suppress(self._ray.exceptions.RayError):
            self._actor.add_files.remote(key, content)

    async def batch(self) -> list[object]:
        """Return the next batch of messages from the worker.

        Raises:
            WorkerLostError: the worker is gone.
        """
        try:
            messages: list[object] = await (await anext(self._batches))
        except StopAsyncIteration:
            raise WorkerLostError("it has ended") from None
        except self._ray.exceptions.RayError as error:
            raise WorkerLostError(_said(error)) from None
        return messages

    async def ping(self) -> None:
        with suppress(self._ray.exceptions.RayError):  # `batch` reports that
            await self._actor.version.remote()

    def kill(self) -> None:
        """End the worker at once."""
        with suppress(Exception):
            self._ray.kill(self._actor)


class _Actor:
    """The Ray actor that holds a `Worker`."""

    def __init__(self) -> None:
        from lve.extensions.ray.worker import forget_variables

        forget_variables(own_variables(os.environ))
        self._sent: asyncio.Queue[list[object]] = asyncio.Queue()
        self._worker: Any = None

    async def version(self) -> str:
        return __version__

    async def begin(self, setup: Setup) -> None:
        from lve.extensions.ray.worker import Worker

        self._worker = Worker(setup, self._sent.put_nowait)

    async def receive(self, messages: list[object]) -> None:
        self._worker.receive(messages)

    async def add_files(self, key: str, content: bytes) -> None:
        self._worker.add_files(key, content)

    async def batches(self) -> AsyncIterator[list[object]]:
        while True:
            messages = await self._sent.get()
            while not self._sent.empty():
                messages.extend(self._sent.get_nowait())
            yield messages

    async def close(self) -> None:
        if self._worker is not None:
            await self._worker.close()


async def _ended(actor: Any) -> None:
    with suppress(Exception):  # it may have ended already
        await actor.close.remote()


def own_variables(environment: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the variables that Ray's processes keep, beside those that every program
    needs: Ray's own, and the machine's proxies."""
    proxies = (*PROXY_VARIABLES, "no_proxy")
    return tuple(
        name
        for name in environment
        if name.startswith("RAY_") or name.lower() in proxies or name == "PYTHONPATH"
    )


def _connect(ray: Any, address: str) -> Path | None:
    """Connect to a cluster, without Ray's own output; return the folder of a cluster that was
    started for it."""
    _check_answers(address)
    own: dict[str, object] = {}
    folder = None
    if address == LOCAL:
        require_token()
        folder = make_folder()
        own = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
        own["_temp_dir"] = str(folder / "r")
    try:
        with _without_keys():
            ray.init(address, log_to_driver=False, configure_logging=False, **own)
    except Exception as error:
        raise UsageError(
            f"--ray {address}: no such cluster can be used: {_said(error)}", code="ray"
        ) from None
    return folder


def _check_answers(address: str) -> None:
    """Refuse an address that accepts no connection, because Ray would end this process then.

    Raises:
        UsageError: it accepts none, or is the address of Ray's client.
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
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise UsageError(
            f"--ray {address}: nothing answers there: {error}; `ray start --head` prints the "
            "address of a cluster, such as 10.0.0.5:6379",
            code="ray",
        ) from None


@contextmanager
def _without_keys() -> Iterator[None]:
    """Context manager that hides the user's keys from processes that Ray starts, which inherit the
    environment."""
    whole = dict(os.environ)
    inherited = child_environment(whole, own_variables(whole))
    note_secrets(find_secrets(whole))  # or nobody would recognise them meanwhile
    for name in set(whole) - set(inherited):
        del os.environ[name]
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        yield
    finally:
        os.environ.update(whole)


def _said(error: object) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return excerpt(lines[-1], 300)
