"""The short form of a result, for lists of failed or changed instances."""

from __future__ import annotations

from lve.checkers.contract import Outcome
from lve.named_tuples import NamedTuple
from lve.row_places import place_of_row
from lve.sessions.instance_result import InstanceResult


class ShortResult(NamedTuple):
    """A result without args and transcripts."""

    source: str
    line: int
    repeat: int
    verdict: Outcome
    reason: str
    recorded: str | None = None

    @classmethod
    def of(cls, result: InstanceResult) -> ShortResult:
        """Return the short form of a result."""
        return cls(
            result.source,
            result.line,
            result.repeat,
            result.verdict,
            result.reason,
            result.recorded,
        )

    @property
    def place(self) -> str:
        """The instance, such as `instances/x.jsonl:3`, with the repeat if it isn't the first."""
        repeat = f" (repeat {self.repeat + 1})" if self.repeat else ""
        return f"{place_of_row(self.source, self.line)}{repeat}"
