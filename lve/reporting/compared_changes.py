"""Says in words what changed of compared tests, whether or not a verdict flipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lve.comparison.compared import ANSWER, UNKNOWN, Comparison
from lve.escape import first_names, one_line
from lve.verdicts.wording import amount

SHOWN_TESTS = 5
_COUNTED: Mapping[str, str] = {
    ANSWER.name: f"only the {ANSWER.name} {{}}",
    UNKNOWN.name: f"can't be known {{}} ({UNKNOWN.detail})",
}
"""Cause -> how it is counted, if not as `cause N`."""


def changes_of_tests(comparison: Comparison) -> str:
    """Return what changed of the tests, with their names; empty if nothing is known."""
    tests: dict[str, dict[str, None]] = {}
    for compared in comparison.tests:
        for cause in compared.changes:
            tests.setdefault(one_line(str(cause)), {})[one_line(compared.test or ".")] = None
    parts = [f"{cause} ({first_names([*names], SHOWN_TESTS)})" for cause, names in tests.items()]
    return f"what changed of the tests: {'; '.join(parts)}" if parts else ""


def causes_of_flips(comparison: Comparison) -> str:
    """Return how often which cause is known of a flip; empty without a flip."""
    causes = Counter(cause.name for flip in comparison.flips for cause in flip.causes)
    counts = ", ".join(
        _COUNTED.get(name, f"{name} {{}}").format(f"{count:,}")
        for name, count in causes.most_common()
    )
    return f"what changed, in {amount(len(comparison.flips), 'flip')}: {counts}" if counts else ""
