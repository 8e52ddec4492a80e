"""Whether a run uses a cluster. Only such a run imports `lve.pipeline.cluster`."""

from __future__ import annotations

from collections.abc import Callable

from lve.errors import UsageError
from lve.pipeline.engine import Engine

OFF = "off"
"""The value of --ray that means: here."""


async def use_elsewhere(engine: Engine, *, warn: Callable[[str], None]) -> None:
    """Have an engine run its instances on the cluster that options or settings name, if any. All
    its models are ready.

    Args:
        engine: of the run.
        warn: called with each warning.

    Raises:
        MissingExtraError: Ray isn't installed.
        UsageError: there is no such cluster, it can't run lve, or the options ask for batches.
        KeyboardInterrupt: the user didn't want to wait for the first worker.
    """
    address = engine.options.ray or engine.settings.ray
    if address is None or address == OFF:
        return
    if engine.options.batch:
        raise UsageError(
            "--ray and --batch exclude each other: a batch API needs no second machine",
            code="conflicting_options",
        )
    from lve.pipeline.cluster.starting import use_cluster

    await use_cluster(engine, address, warn=warn)
