"""What an engine needs of machines that run instances for it; `lve.pipeline.cluster` has them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from lve.errors import SessionError
from lve.pipeline.execute import PreparedTest
from lve.results.records import InstanceResult
from lve.spec.model import Instance

RunOne = Callable[[PreparedTest, Instance, int], Awaitable[InstanceResult]]
"""As `run_one`."""


class Elsewhere(Protocol):
    """Runs instances on other machines."""

    failure: SessionError | None
    """Why the session can't go on."""

    def width(self, model: str) -> int:
        """Return how many instances of a model are under way at once."""
        ...

    async def run(self, test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
        """Return the result of an instance; errors as of `run_instance`."""
        ...

    def cancel(self) -> None:
        """Give up what is under way."""
        ...

    async def close(self) -> None:
        """Let the machines go."""
        ...
