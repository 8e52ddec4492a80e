"""Begins a run on a cluster: connects, and lets the engine use it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from lve.execution.stop import Stopped, StopSignal
from lve.pipeline.aside import computed_aside
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
        # In a thread: in the main one, Ray would take over the signal that ends lve.
        links = await computed_aside(partial(RayLinks, address), stop_signal)
        cluster = Cluster(engine, links, warn=warn)
        await _begun(cluster, stop_signal)
    except Stopped:  # there is no session yet that could be interrupted
        raise KeyboardInterrupt from None
    engine.use(cluster)


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
