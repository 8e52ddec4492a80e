"""The categories of a test's results (`reader_cfg.category_column`), as lines of a text report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lve.escape import clip, one_line
from lve.verdicts.breakdown import Breakdown, Group
from lve.verdicts.wording import amount, percent

SHOWN_CATEGORIES = 20
NAME_COLUMNS = 28


def category_lines(numbers: Breakdown, width: int | None) -> Iterator[str]:
    """Yield a line for each category.

    Args:
        numbers: the breakdown of a test's results.
        width: the most characters of a line; None: no limit.
    """
    names = sorted(numbers.categories)
    for name in islice(names, SHOWN_CATEGORIES):
        line = _category(name, numbers.categories[name], numbers)
        yield line if width is None else clip(line, width)
    if len(names) > SHOWN_CATEGORIES:
        yield f"and {len(names) - SHOWN_CATEGORIES} more categories (`--json` has all)"


def _category(name: str, group: Group, numbers: Breakdown) -> str:
    rate = "" if group.rate is None else f" {percent(group.rate, 1):>7}"
    errors = f", {amount(group.counts['error'], 'error')}" if group.counts["error"] else ""
    score = (
        f", mean {numbers.metric} {group.score:.3f}" if numbers.is_scale and group.scored else ""
    )
    counts = f"{group.counts['passed']}/{group.judged} passed"
    return f"{one_line(name, NAME_COLUMNS):{NAME_COLUMNS}}{rate} {counts}{errors}{score}"
