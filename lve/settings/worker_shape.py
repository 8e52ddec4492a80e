"""The resources of a worker of a Ray cluster."""

from __future__ import annotations

from lve.named_tuples import NamedTuple


class WorkerShape(NamedTuple):
    """The key `worker` of the settings: what a worker of a Ray cluster needs."""

    num_cpus: float = 1
    num_gpus: float = 0
    memory_gb: float | None = None
    """Only used to choose a machine; it isn't a limit."""
    replicas: int | None = None
    """Number of workers; None: as many as fit on the cluster."""
