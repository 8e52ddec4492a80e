"""What is kept of a result as an example."""

from __future__ import annotations

from typing import NamedTuple

from lve.checkers.contract import Outcome
from lve.conventions import place_of_row
from lve.results.records import InstanceResult


class Note(NamedTuple):
    """Where a result comes from and why, without the transcripts."""

    source: str
    line: int
    repeat: int
    verdict: Outcome
    reason: str
    recorded: str | None = None

    @property
    def place(self) -> str:
        """`instances/x.jsonl:3`, with the repeat where it isn't the first."""
        repeat = f" (repeat {self.repeat + 1})" if self.repeat else ""
        return f"{place_of_row(self.source, self.line)}{repeat}"


def note_of(result: InstanceResult) -> Note:
    """Return what is kept of a result."""
    return Note(
        source=result.source,
        line=result.line,
        repeat=result.repeat,
        verdict=result.verdict,
        reason=result.reason,
        recorded=result.recorded,
    )
