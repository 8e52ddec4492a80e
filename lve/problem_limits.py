"""How many problems are told: as many as somebody corrects, of a file that may have a million."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from lve.errors import Problem

MAX_PROBLEMS = 100
"""Of a file."""
MAX_ROW_PROBLEMS = 1000
"""Of a test's rows."""

Item = TypeVar("Item")


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems, but no more than anybody reads; a last one says that there are more.

    Args:
        problems: as they are found. Those that aren't returned are not looked for.
    """
    found = list(islice(problems, MAX_PROBLEMS + 1))
    if len(found) > MAX_PROBLEMS:
        found[MAX_PROBLEMS:] = [
            Problem("there are more problems than these", found[0].file, hint="correct them first")
        ]
    return found


def few_problems(items: Iterable[Item | Problem]) -> Iterator[Item | Problem]:
    """Yield items, but no more than `MAX_ROW_PROBLEMS` problems among them; a last one says how
    many more there are.

    Args:
        items: rows or instances as they are read, with what is wrong with others.
    """
    count, last = 0, None
    for item in items:
        if isinstance(item, Problem):
            count, last = count + 1, item
            if count > MAX_ROW_PROBLEMS:
                continue
        yield item
    if last is not None and count > MAX_ROW_PROBLEMS:
        message = f"{count - MAX_ROW_PROBLEMS:,} more rows are wrong, this is the last of them"
        yield Problem(message, last.file, last.line, hint="correct the first ones, and try again")
