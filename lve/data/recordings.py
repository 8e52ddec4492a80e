"""Tells the rows of a test by their args, where several of its recorded answers are of one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lve.errors import Problem
from lve.spec.model import Instance
from lve.spec.recorded import row_key


class Recordings:
    """The recorded answers of a test that were read so far: some 100 bytes per different args."""

    def __init__(self, *, once: bool) -> None:
        """Args:
        once: whether only the first recorded answer of a row is used.
        """
        self._once = once
        self._count = Counter[int]()

    def add(self, instance: Instance) -> bool:
        """Count a recorded answer, and number it as a repeat of its row. Return whether it is used.

        Args:
            instance: has a recorded answer.
        """
        args = row_key(instance.args)
        instance.repeat = self._count[args]
        if instance.repeat and self._once:
            return False
        self._count[args] += 1
        return True

    def empty(self) -> Recordings:
        """Return one that has counted nothing."""
        return Recordings(once=self._once)

    def take(self, row: Instance) -> bool:
        """Whether a row is recorded. Each recorded answer replaces one row."""
        args = row_key(row.args) if self._count else 0
        if self._count.get(args, 0) < 1:
            return False
        self._count[args] -= 1
        return True

    def without(self, rows: Iterable[Instance | Problem]) -> Iterator[Instance | Problem]:
        """Yield the rows that aren't recorded, and what isn't a row."""
        yield from (row for row in rows if isinstance(row, Problem) or not self.take(row))
