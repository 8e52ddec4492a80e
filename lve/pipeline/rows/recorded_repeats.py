"""Counts the recorded answers of each row against the repeats that a test asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lve.errors import Problem, Severity
from lve.spec.recorded import args_key
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path


class RecordedRepeats:
    """The recorded answers of one test: how many each row has, of the model that gave most."""

    def __init__(self, spec: Spec) -> None:
        """Args:
        spec: the test.
        """
        self._spec = spec
        self._answers: dict[str, Counter[str | None]] = {}

    def add(self, item: object) -> None:
        """Count an instance, if it has a recorded answer; ignore anything else."""
        if isinstance(item, Instance) and item.recorded is not None:
            models = self._answers.setdefault(args_key(item.args), Counter())
            models[item.recorded.model] += 1

    def add_all(self, items: Iterable[object]) -> RecordedRepeats:
        """Count several; return itself."""
        for item in items:
            self.add(item)
        return self

    @property
    def missing(self) -> int:
        """How many answers the rows lack that have at least one."""
        counts = (max(models.values()) for models in self._answers.values())
        return sum(max(self._spec.repeats - count, 0) for count in counts)

    def problem(self, severity: Severity) -> Problem | None:
        """Return that rows have fewer recorded answers than the test has `repeats`; None if none
        has, or nothing is recorded at all."""
        repeats = self._spec.repeats
        counts = [min(max(models.values()), repeats) for models in self._answers.values()]
        few = sum(count < repeats for count in counts)
        if not few:
            return None
        have = "has" if few == 1 else "have"
        total = repeats * len(counts)
        message = (
            f"{sum(counts):,} of {total:,} repeats are recorded: {few:,} of {len(counts):,} rows "
            f"{have} fewer answers than `repeats: {repeats}`"
        )
        hint = f"`lve record {display_path(self._spec.folder)}` asks a model and keeps its answers"
        file = display_path(self._spec.file)
        return Problem(message, file, hint=hint, severity=severity, code="not_recorded")
