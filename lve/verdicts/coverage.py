"""How much of a test has run, and the rows that a replay leaves out because no answer of theirs is
recorded."""

from __future__ import annotations

from lve.data_classes import dataclass, field
from lve.plurals import amount

SHOWN = 3
"""Places that are named."""


@dataclass(slots=True)
class NotRecorded:
    """Rows without a recorded answer."""

    count: int = 0
    places: list[str] = field(default_factory=list)
    """The first ones."""
    repeats: int = 0
    """Missing results beyond one per row, because the test asks for repeats."""
    folder: str = ""
    """The test's folder as its user sees it; of a session that is read again, the test's path."""

    @property
    def results(self) -> int:
        """Number of results that the test lacks."""
        return self.count + self.repeats

    def add(self, place: str, repeats: int = 1) -> None:
        """Count a row.

        Args:
            place: test and row, such as `arithmetic/rows.jsonl:3`.
            repeats: how many results of the row there would be.
        """
        self.count += 1
        self.repeats += repeats - 1
        if len(self.places) < SHOWN:
            self.places.append(place)

    def merge(self, other: NotRecorded) -> None:
        """Count the rows of another test or another part of a session, too."""
        self.count += other.count
        self.repeats += other.repeats
        self.folder = self.folder or other.folder
        self.places = sorted([*self.places, *other.places], key=_order)[:SHOWN]

    def why_undecided(self) -> str:
        """Return that the missing answers could change a decision, and the command that asks for
        them."""
        what = amount(self.count, "row") if self.count else amount(self.repeats, "repeat")
        have = "has" if self.results == 1 or self.count == 1 else "have"
        return (
            f"{what} {have} no recorded answer, which could change that: "
            f"`lve record {self.folder or '.'}` asks a model and keeps its answers"
        )

    def __str__(self) -> str:
        is_not = "is not recorded and was" if self.count == 1 else "are not recorded and were"
        text = f"{amount(self.count, 'row')} {is_not} not judged"
        if not self.places:  # of a session that is read again
            return text
        return f"{text}: {', '.join(self.places)}" + ", ..." * (self.count > len(self.places))


@dataclass(slots=True, repr=False, eq=False)
class Coverage:
    """How much of a test has run, and why not the rest."""

    is_complete: bool = False
    """Whether all instances have run."""
    has_failures_only: bool = False
    """Whether only instances run that failed before: no pass rate of the test."""
    why_empty: str = ""
    """Why no row was run, if known."""
    why_incomplete: str = ""
    """Why some instances did not run, if known."""
    left: int | None = None
    """Results that a session which has ended early lacks, at most; None if that isn't known."""
    not_recorded: NotRecorded = field(default_factory=NotRecorded)

    def complete(self) -> None:
        """Record that all instances have run."""
        self.is_complete = True

    def end_early(self, why: str) -> None:
        """Record why some instances will not run."""
        self.why_incomplete = why

    def end_empty(self, why: str) -> None:
        """Record why no row was run."""
        self.why_empty = why

    def unfinished_text(self, done: int) -> str:
        """Return how many results there are and why not more, in words."""
        why = f", {self.why_incomplete}" if self.why_incomplete else ""
        return f"unfinished: {done} done{why}"


def _order(place: str) -> tuple[str, int, str]:
    """Return a key that sorts places by file, then by line."""
    file, _, line = place.rpartition(":")
    return (file, int(line), "") if line.isdecimal() else (file, 0, line)
