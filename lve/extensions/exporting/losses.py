"""What an export can't carry: each reason with its first place, and how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

from lve.cli.printing import print_problem, warn
from lve.data.problems import row_problem
from lve.errors import Problem
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
            warn(f"{more:,} more things are not exported")
