"""What a worker of a cluster takes."""

from __future__ import annotations

from typing import NamedTuple


class WorkerShape(NamedTuple):
    """What a worker of a Ray cluster takes."""

    num_cpus: float = 1
    num_gpus: float = 0
    memory_gb: float | None = None
    """A hint for where to start it."""
    replicas: int | None = None
    """How many there are; None: as many as there is room for."""
