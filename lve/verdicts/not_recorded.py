"""Counts the rows that a replay leaves out because no answer of theirs is recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from lve.verdicts.wording import amount

SHOWN = 3
"""Places that are named."""


@dataclass(slots=True)
class NotRecorded:
    """Rows without a recorded answer."""

    count: int = 0
    places: list[str] = field(default_factory=list)
    """The first ones."""

    def add(self, place: str) -> None:
        """Count a row.

        Args:
            place: test and row, such as `arithmetic/rows.jsonl:3`.
        """
        self.count += 1
        if len(self.places) < SHOWN:
            self.places.append(place)

    def merge(self, other: NotRecorded) -> None:
        """Count the rows of another test, too."""
        self.count += other.count
        self.places.extend(islice(other.places, SHOWN - len(self.places)))

    def __str__(self) -> str:
        is_not = "is not recorded and was" if self.count == 1 else "are not recorded and were"
        text = f"{amount(self.count, 'row')} {is_not} not judged"
        if not self.places:  # of a session that is read again
            return text
        return f"{text}: {', '.join(self.places)}" + ", ..." * (self.count > len(self.places))
