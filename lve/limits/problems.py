"""Limits the number of reported problems: a hostile file may have a million."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from lve.data_classes import dataclass, field
from lve.errors import Problem
from lve.plurals import amount

MAX_PROBLEMS = 100
"""Maximum number of problems reported for one file."""
MAX_ROW_PROBLEMS = 1000
"""Maximum number of problems reported for the rows of one test."""
_HINT = "correct the first ones, and try again"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class MoreProblems(Problem):
    """Stands for problems that are counted, not described."""

    count: int | None = field(default=None, kw_only=True)
    """How many; None: some."""


def first_problems(
    problems: Iterable[Problem], more: int = 0, file: Path | None = None
) -> list[Problem]:
    """Return the first `MAX_PROBLEMS` problems, and a last one that counts all others.

    Args:
        problems: the problems. A lazy iterable is read no further than needed, so the others aren't
            counted.
        more: how many there are besides these.
        file: the file of those others, as the user would name it; by default, that of the first.
    """
    if isinstance(problems, list):
        counted = [problem for problem in problems if isinstance(problem, MoreProblems)]
        problems = [problem for problem in problems if not isinstance(problem, MoreProblems)]
        more += sum(problem.count or 0 for problem in counted)
        rest = len(problems) - MAX_PROBLEMS
        described = problems[:MAX_PROBLEMS]
        is_some = any(problem.count is None for problem in counted)
    else:
        described, rest = list(islice(problems, MAX_PROBLEMS + 1)), 0
        is_some = len(described) > MAX_PROBLEMS
        del described[MAX_PROBLEMS:]
    more += max(rest, 0)
    if not more and not is_some:
        return described
    place = described[0].file if file is None else file
    return [*described, _more(None if is_some else more, place)]


def _more(count: int | None, file: Path) -> MoreProblems:
    message = "there are more problems than these"
    if count is not None:
        message = f"{amount(count, 'more problem', 'is')} not described"
    return MoreProblems(message, file, hint=_HINT, code="more_problems", count=count)


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
        more = amount(count - MAX_ROW_PROBLEMS, "more row", "is")
        message = f"{more} wrong, this is the last of them"
        yield Problem(message, last.file, last.line, hint=_HINT, code="more_problems")
