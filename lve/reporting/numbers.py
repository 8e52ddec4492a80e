"""The numbers below a test's line: its mean score, and a table of its categories."""

from __future__ import annotations

from collections.abc import Iterator

from lve.escape import one_line
from lve.verdicts.breakdown import Breakdown, Group

SHOWN_CATEGORIES = 20
NAME_COLUMNS = 28


def number_lines(numbers: Breakdown, *, width: int | None) -> Iterator[str]:
    """Yield a line for the mean score, where it says more than how many passed, and one for each
    category, in the order of their names; lines of at most `width` characters."""
    if numbers.is_scale:
        yield f"mean {numbers.metric} {numbers.whole.score:.3f} over {numbers.whole.scored:,}"
    names = sorted(numbers.categories)
    for name in names[:SHOWN_CATEGORIES]:
        yield _category(name, numbers.categories[name], numbers)[:width]
    if len(names) > SHOWN_CATEGORIES:
        yield f"and {len(names) - SHOWN_CATEGORIES} more categories (`--json` has all)"


def _category(name: str, group: Group, numbers: Breakdown) -> str:
    rate = "" if group.rate is None else f" {group.rate:7.1%}"
    errors = f", {group.counts['error']} errors" if group.counts["error"] else ""
    score = (
        f", mean {numbers.metric} {group.score:.3f}" if numbers.is_scale and group.scored else ""
    )
    counts = f"{group.counts['passed']}/{group.judged} passed"
    return f"{one_line(name, NAME_COLUMNS):{NAME_COLUMNS}}{rate} {counts}{errors}{score}"
