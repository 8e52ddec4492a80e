"""Writes what is exported to a new file, or prints it; and says what an export can't carry: each
reason with its first place, and how often."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from lve.cli.printing import print_problem, warn
from lve.data.problems import row_problem
from lve.errors import Problem, UsageError
from lve.files.atomic_file import replacing, unwritable
from lve.plurals import amount
from lve.spec.spec import Instance, Spec

CODE = "export_left_out"
MAX_PRINTED = 100


class Losses:
    """Collects reasons."""

    def __init__(self) -> None:
        self._first: dict[str, Problem] = {}
        self._counts = Counter[str]()

    def add(self, place: Problem) -> None:
        """Remember that something isn't carried: the message says what and why."""
        self._first.setdefault(place.message, place)
        self._counts[place.message] += 1

    def add_row(self, spec: Spec, row: Instance, why: str) -> None:
        """Remember that a row isn't carried, and why."""
        self.add(replace(row_problem(spec, row, "", code=CODE), message=why))

    def print(self) -> None:
        """Print a line for each reason on stderr."""
        for why, first in islice(self._first.items(), MAX_PRINTED):
            count = self._counts[why]
            message = f"not exported: {why}" + (f" ({count:,} times)" if count > 1 else "")
            print_problem(replace(first, message=message, severity="warning", code=CODE))
        if (more := len(self._first) - MAX_PRINTED) > 0:
            warn(f"{amount(more, 'more thing', 'is')} not exported")


def write_text(lines: Iterable[str], output: str | None) -> int:
    """Write lines as they come, and return their number.

    Args:
        lines: without line ends.
        output: a new file; None: stdout.

    Raises:
        UsageError: the file exists or can't be written.
    """
    if output is None:
        return sum(_printed(line) for line in lines)
    path = Path(output)
    if os.path.lexists(path):
        raise UsageError(
            f"{output} exists, and nothing is overwritten: name another file", code="exists"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            return sum(bool(file.write(f"{line}\n".encode())) for line in lines)
    except OSError as error:
        raise unwritable(output, error) from None


def _printed(line: str) -> bool:
    click.echo(line)
    return True
