"""Tells the rows of a test by their args, where several of its recorded answers are of one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lve.errors import Problem
from lve.spec.model import Instance, Spec
from lve.spec.recorded import row_key


class Recordings:
    """The recorded answers of a test that were read so far: some 300 bytes per different args."""

    def __init__(self, spec: Spec, *, once: bool) -> None:
        """Args:
        spec: the test.
        once: whether only the first recorded answer of a row is used.
        """
        self._spec = spec
        self._once = once
        self._answers = Counter[int]()
        self._by_model = Counter[tuple[int, str | None]]()
        self._most: dict[int, int] = {}
        self._rows = Counter[int]()

    def add(self, instance: Instance) -> bool:
        """Count a recorded answer, and number it as a repeat of its row. Return whether it is used.

        Args:
            instance: has a recorded answer.
        """
        args = row_key(instance.args)
        instance.repeat = self._answers[args]
        if instance.repeat and self._once:
            return False
        model = args, instance.recorded.model if instance.recorded else None
        self._answers[args] += 1
        self._by_model[model] += 1
        self._most[args] = max(self._most.get(args, 0), self._by_model[model])
        return True

    def empty(self) -> Recordings:
        """Return one that has counted no answers. No row is recorded in both."""
        other = Recordings(self._spec, once=self._once)
        other._rows = self._rows
        return other

    def take(self, row: Instance) -> bool:
        """Whether a row is recorded. Of rows with equal args, as many are as a model's answers
        suffice for with the test's `repeats`, and at least one."""
        args = row_key(row.args) if self._most else 0
        if args not in self._most:
            return False
        if self._rows[args] >= max(self._most[args] // self._spec.repeats, 1):
            return False
        self._rows[args] += 1
        return True

    def without(self, rows: Iterable[Instance | Problem]) -> Iterator[Instance | Problem]:
        """Yield the rows that aren't recorded, and what isn't a row."""
        yield from (row for row in rows if isinstance(row, Problem) or not self.take(row))
