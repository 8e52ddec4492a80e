"""Starts a run on a Ray cluster: connects, starts a worker, and has the engine use the cluster."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from lve.errors import UsageError
from lve.execution.stop import Stopped, StopSignal, resolve
from lve.extensions.ray.cluster import Cluster
from lve.extensions.ray.driver import end_with_raylet
from lve.extensions.ray.ray_launcher import RayLauncher
from lve.pipeline.engine import Engine
from lve.settings.settings import NO_CLUSTER

POLL_S = 0.2
"""Seconds between two checks whether the user has pressed Ctrl-C while the first worker starts."""


async def use_cluster(engine: Engine, *, warn: Callable[[str], None]) -> None:
    """Have an engine run its instances on the cluster that options or settings name, if any.

    Args:
        engine: the run's engine; all its models are ready.
        warn: called with each warning.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C before the first worker was ready.
        MissingExtraError: Ray isn't installed.
        UsageError: there is no such cluster, it can't run lve, or the options ask for batches.
    """
    address = engine.options.ray or engine.settings.ray
    if address is None or address == NO_CLUSTER:
        return
    if engine.options.batch:
        raise UsageError(
            "--ray and --batch exclude each other: a batch API needs no second machine",
            code="conflicting_options",
        )
    stop_signal = engine.stop_signal
    try:
        launcher = await _connect(address, stop_signal)
        cluster = Cluster(engine, launcher, warn=warn)
        await _begin(cluster, stop_signal)
    except Stopped:  # there is no session yet that could be interrupted
        raise KeyboardInterrupt from None
    engine.run_on(cluster)


async def _connect(address: str, stop_signal: StopSignal) -> RayLauncher:
    """Connect in a thread: in the main thread, Ray would replace the handler of Ctrl-C.

    The thread lives as long as the cluster is used, because Linux ends the processes that Ray has
    started when the thread ends that started them.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    outcome: Future[RayLauncher] = Future()

    def connect() -> None:
        try:
            outcome.set_result(RayLauncher(address))
        except BaseException as error:  # raised where the result is waited for
            outcome.set_exception(error)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(resolve, done)
        if outcome.exception() is None:
            launcher = outcome.result()
            end_with_raylet(launcher.is_closed, lambda: launcher.is_leaving)

    threading.Thread(target=connect, name="lve-ray", daemon=True).start()
    await stop_signal.wait(done)
    return outcome.result()


async def _begin(cluster: Cluster, stop_signal: StopSignal) -> None:
    """Start the first worker. If that fails or the user stops it, close the cluster."""
    beginning = asyncio.ensure_future(cluster.begin())
    try:
        while not beginning.done():
            stop_signal.check()
            await asyncio.wait({beginning}, timeout=POLL_S)
        beginning.result()
    except BaseException:
        beginning.cancel()
        cluster.cancel()
        await cluster.close()
        raise
