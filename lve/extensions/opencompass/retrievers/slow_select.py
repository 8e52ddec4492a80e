"""Slow computations of retrievers: they run in a thread, one at a time, so that the event loop
isn't blocked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from lve.data_classes import dataclass, field
from lve.extensions.opencompass.dialogue import Cells
from lve.prompts.conversation import Ask

Result = TypeVar("Result")
QUICK_PRODUCTS = 10_000_000
"""Multiplications that take about ten milliseconds; computations with more run in a thread."""
PRODUCTS_PER_STEP = 200
"""Multiplications of numpy that take as long as a step of Python."""

Select = Callable[[int, Cells], list[int]]
"""Position of a test row (from 0) and the row -> positions of its examples."""


async def computed(work: Callable[[], Result], products: int, ask: Ask) -> Result:
    """Return `work()`, run in a thread if it takes many multiplications (`products`).

    Raises:
        Stopped: as `Ask.run_in_thread`.
    """
    return work() if products <= QUICK_PRODUCTS else await ask.run_in_thread(work)


@dataclass(frozen=True)
class SlowSelect:
    """A `Select` that may take long."""

    select: Select
    steps: Callable[[int, Cells], int]
    """Position and row -> rough number of Python steps that `select` takes."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __call__(self, position: int, row: Cells) -> list[int]:
        """Return the positions of a row's examples."""
        return self.select(position, row)

    async def choose(self, position: int, row: Cells, ask: Ask) -> list[int]:
        """Return the same, computed in a thread if it takes long. Only one row at a time: many
        threads would slow down the event loop, and random choices are drawn in order."""
        async with self._lock:
            work = partial(self.select, position, row)
            return await computed(work, PRODUCTS_PER_STEP * self.steps(position, row), ask)
