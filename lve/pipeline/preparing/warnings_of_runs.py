"""Warns, while a test runs, of what its author should know: data of rows that the prompt loses,
calls of tools that no mock answers."""

from __future__ import annotations

from collections.abc import Callable

from lve.errors import with_code
from lve.escape import excerpt
from lve.prompts.plan import Plan
from lve.spec.model import Instance, Spec

SHOWN = 5
"""Warnings of a test that are shown one by one."""
MOST_WARNINGS = 3
"""For one test against one model."""


def call_warner(
    spec: Spec, warn: Callable[[str], None], redact: Callable[[str], str]
) -> Callable[[str], None] | None:
    """Return what warns of a call that no mock answers; None for a test without mocks.

    Args:
        spec: the test.
        warn: called with each warning.
        redact: removes secrets.
    """
    if spec.tools is None or spec.tools.mocks is None:
        return None
    told: set[str] = set()

    def warn_of_call(problem: str) -> None:
        if len(told) < MOST_WARNINGS and problem not in told:
            told.add(problem)
            shown = excerpt(redact(problem), 200)
            text = (
                f"{spec.path}: {shown}; the model gets an error: add a mock, or one without `args`"
            )
            warn(with_code(text, "tool_mock"))

    return warn_of_call


class RowWarnings:
    """Looks at the rows of one test against one model as they are rendered, and warns of data that
    upstream drops silently."""

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
                self._warn(problem.told)

    def close(self) -> None:
        """Say how many warnings were left out."""
        if self._count > SHOWN:
            more = self._count - SHOWN
            told = (
                f"{self._plan.spec.path or '.'}: {more} more warnings like these about its rows "
                "(`lve render` shows all)"
            )
            self._warn(with_code(told, "more_problems"))
        self._count = 0
