"""Begins a run on a cluster: connects, and lets the engine use it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from lve.execution.stop import Stopped, StopSignal, resolve
from lve.pipeline.cluster.hub import Cluster
from lve.pipeline.cluster.ray_links import RayLinks
from lve.pipeline.engine import Engine

LOOK_S = 0.2
"""How often it looks whether the user still wants to wait for a worker."""


async def use_cluster(
    engine: Engine,
    address: str,
    *,
    warn: Callable[[str], None],
) -> None:
    """Have an engine run its instances on a Ray cluster. All its models are ready.

    Args:
        engine: of the run.
        address: of the cluster.
        warn: called with each warning.

    Raises:
        KeyboardInterrupt: the user didn't want to wait for the first worker.
        MissingExtraError: Ray isn't installed.
        UsageError: there is no such cluster, or it can't run lve.
    """
    stop_signal = engine.stop_signal
    try:
        links = await _connected(address, stop_signal)
        cluster = Cluster(engine, links, warn=warn)
        await _begun(cluster, stop_signal)
    except Stopped:  # there is no session yet that could be interrupted
        raise KeyboardInterrupt from None
    engine.use(cluster)


async def _connected(address: str, stop_signal: StopSignal) -> RayLinks:
    """Connect in a thread: in the main one, Ray would take over the signal that ends lve. It stays
    as long as the cluster is used, because Linux ends what Ray has started with it."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    outcome: Future[RayLinks] = Future()

    def connect() -> None:
        try:
            outcome.set_result(RayLinks(address))
        except BaseException as error:  # raised where the result is waited for
            outcome.set_exception(error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(resolve, done)
        if outcome.exception() is None:
            outcome.result().is_closed.wait()

    threading.Thread(target=connect, name="lve-ray", daemon=True).start()
    await stop_signal.wait(done)
    return outcome.result()


async def _begun(cluster: Cluster, stop_signal: StopSignal) -> None:
    beginning = asyncio.ensure_future(cluster.begin())
    try:
        while not beginning.done():
            stop_signal.check()
            await asyncio.wait({beginning}, timeout=LOOK_S)
        beginning.result()
    except BaseException:
        beginning.cancel()
        cluster.cancel()
        await cluster.close()
        raise
