"""Warnings of `lve run` about data that upstream drops silently: the first rows, then a count."""

from __future__ import annotations

from collections.abc import Callable

from lve.prompts.plan import Plan
from lve.spec.model import Instance

SHOWN = 5
"""Warnings of a test that are shown one by one."""


class RowWarnings:
    """Looks at the rows of one test against one model as they are rendered."""

    def __init__(self, plan: Plan, warn: Callable[[str], None]) -> None:
        """Args:
        plan: of a test with `infer_cfg`.
        warn: called with each warning.
        """
        self._plan = plan
        self._warn = warn
        self._count = 0

    def look(self, instance: Instance) -> None:
        """Tell what the data of a row, and of its examples, loses or changes."""
        from lve.prompts.templates.plan import DatasetPlan
        from lve.prompts.templates.warnings import example_warnings, row_warnings

        plan = self._plan
        assert isinstance(plan, DatasetPlan)
        for problem in (*row_warnings(plan.writer, instance), *example_warnings(plan.writer)):
            self._count += 1
            if self._count <= SHOWN:
                self._warn(str(problem))

    def close(self) -> None:
        """Say how many warnings were left out."""
        if self._count > SHOWN:
            more = self._count - SHOWN
            self._warn(
                f"{self._plan.spec.path or '.'}: {more} more warnings like these about its rows "
                "(`lve render` shows all)"
            )
        self._count = 0
