"""Limits the number of reported problems: a hostile file may have a million."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from lve.errors import Problem

MAX_PROBLEMS = 100
"""Maximum number of problems reported for one file."""
MAX_ROW_PROBLEMS = 1000
"""Maximum number of problems reported for the rows of one test."""

Item = TypeVar("Item")


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first `MAX_PROBLEMS` problems, and one more that says so if there are others.

    Args:
        problems: the problems; a lazy iterable is read no further than needed.
    """
    found = list(islice(problems, MAX_PROBLEMS + 1))
    if len(found) > MAX_PROBLEMS:
        found[MAX_PROBLEMS:] = [
            Problem(
                "there are more problems than these",
                found[0].file,
                hint="correct them first",
                code="more_problems",
            )
        ]
    return found


def limit_problems(items: Iterable[Item | Problem]) -> Iterator[Item | Problem]:
    """Yield all items, but only the first `MAX_ROW_PROBLEMS` problems and one that counts the rest.

    Args:
        items: rows or instances, with a problem in place of each that can't be read.
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
        yield Problem(
            message,
            last.file,
            last.line,
            hint="correct the first ones, and try again",
            code="more_problems",
        )
