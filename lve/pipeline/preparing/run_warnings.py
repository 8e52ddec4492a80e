"""Warnings for a test's author while the test runs: about data of rows that isn't in the prompt,
and about tool calls that no mock answers."""

from __future__ import annotations

from collections.abc import Callable

from lve.errors import with_code
from lve.escape import excerpt
from lve.prompts.conversation import RowPlan
from lve.spec.spec import Instance, Spec

MAX_ROW_WARNINGS = 5
"""Most warnings about a test's rows that are shown; the rest is counted."""
MAX_CALL_WARNINGS = 3
"""Most warnings about unanswered calls, for one test against one model."""


def call_warner(spec: Spec, warn: Callable[[str], None]) -> Callable[[str], None] | None:
    """Return a function that warns of a tool call which no mock answers; None for a test without
    mocks.

    Args:
        spec: the test.
        warn: called with each warning.
    """
    if spec.tools is None or spec.tools.mocks is None:
        return None
    reported: set[str] = set()

    def warn_of_call(problem: str) -> None:
        if len(reported) < MAX_CALL_WARNINGS and problem not in reported:
            reported.add(problem)
            quote = excerpt(problem, 200)
            text = (
                f"{spec.path}: {quote}; the model gets an error: add a mock, or one without `args`"
            )
            warn(with_code(text, "tool_mock"))

    return warn_of_call


class RowWarnings:
    """Warns of data that OpenCompass drops silently, in the rows of one test against one model."""

    def __init__(self, rows: RowPlan, warn: Callable[[str], None]) -> None:
        """Args:
        rows: the plan of the test.
        warn: called with each warning.
        """
        self._rows = rows
        self._warn = warn
        self._count = 0

    def check(self, instance: Instance) -> None:
        """Warn if the prompt of a row, just rendered, lacks or changes data of the row or of its
        few-shot examples."""
        for problem in self._rows.row_warnings(instance):
            self._count += 1
            if self._count <= MAX_ROW_WARNINGS:
                self._warn(problem.message_with_code)

    def close(self) -> None:
        """Report how many warnings were left out."""
        if self._count > MAX_ROW_WARNINGS:
            more = self._count - MAX_ROW_WARNINGS
            text = (
                f"{self._rows.spec.path or '.'}: {more} more warnings like these about its rows "
                "(`lve render` shows all)"
            )
            self._warn(with_code(text, "more_problems"))
        self._count = 0
