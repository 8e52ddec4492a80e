"""The interface between the engine and machines that run instances for it, such as a Ray cluster.

It lets the engine use `lve.extensions.ray` without importing it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from lve.errors import SessionError
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance

RunOne = Callable[[PreparedTest, Instance, int], InstanceResult | Awaitable[InstanceResult]]
"""Runs an instance once: `lve.pipeline.rows.playing_user.run_one`, or `RemoteExecutor.run`."""


class RemoteExecutor(Protocol):
    """Runs instances on other machines."""

    failure: SessionError | None
    """Why the session can't go on."""

    def width(self, model: str) -> int:
        """Return how many instances of a model may be in flight at once."""
        ...

    async def run(self, test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
        """Return the result of an instance; errors as `run_instance`."""
        ...

    def cancel(self) -> None:
        """Give up the instances in flight."""
        ...

    async def close(self) -> None:
        """Release the machines."""
        ...
