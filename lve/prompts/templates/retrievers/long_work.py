"""Computations of retrievers that may take long: made in a thread, one after the other, so that
everything else goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from lve.prompts.ask import Ask
from lve.prompts.templates.dialogue import Cells

Result = TypeVar("Result")
MOMENT_PRODUCTS = 10_000_000
"""Multiplications that take only some ten milliseconds; more of them are made in a thread."""
STEP = 200
"""Multiplications of numpy that take as long as a step of Python."""

Select = Callable[[int, Cells], list[int]]
"""Position of a test row (from 0) and the row -> positions of its examples."""


async def computed(work: Callable[[], Result], products: int, ask: Ask) -> Result:
    """Return the result of a computation: made at once if it takes few multiplications, else in
    a thread.

    Raises:
        Stopped: as `Ask.aside`.
    """
    return work() if products <= MOMENT_PRODUCTS else await ask.aside(work)


@dataclass(frozen=True)
class LongSelect:
    """Chooses examples without a model, which may take long."""

    select: Select
    steps: Callable[[int, Cells], int]
    """About how many steps of Python that takes for a row."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __call__(self, position: int, row: Cells) -> list[int]:
        """Return the positions of a row's examples."""
        return self.select(position, row)

    async def choose(self, position: int, row: Cells, ask: Ask) -> list[int]:
        """Return the same, in a thread if it takes long. Rows wait for each other: many threads
        would leave the loop no time, and random choices are drawn in turn."""
        async with self._turn:
            work = partial(self.select, position, row)
            return await computed(work, STEP * self.steps(position, row), ask)
