"""Parses the value of `--rows`: `10-20,30` (from 1, both ends included; `10-` has no end)."""

from __future__ import annotations

import re

from lve.data_classes import dataclass
from lve.escape import head

MAX_RANGES = 1_000
WANTED = "row numbers from 1 on such as 10-20,30"
_RANGE = re.compile(r"\s*([0-9]{1,12})\s*(-\s*([0-9]{1,12})?)?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """A set of row numbers. `number in rows` tests for one."""

    ranges: tuple[tuple[int, int | None], ...]
    """First and last row of each range; None: no end."""

    @property
    def last(self) -> int | None:
        """The highest row number; None if there is no end."""
        ends = [end for _, end in self.ranges if end is not None]
        return max(ends) if len(ends) == len(self.ranges) else None

    def __contains__(self, number: int) -> bool:
        return any(
            first <= number and (last is None or number <= last) for first, last in self.ranges
        )


def parse_rows(text: str) -> RowNumbers:
    """Parse row numbers.

    Raises:
        ValueError: the text isn't valid; the message says why.
    """
    parts = text.split(",", MAX_RANGES)
    if len(parts) > MAX_RANGES:
        raise ValueError(f"up to {MAX_RANGES:,} ranges of rows")
    return RowNumbers(tuple(map(_range, parts)))


def _range(text: str) -> tuple[int, int | None]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"{WANTED}, not '{head(text, 40)}'")
    first = int(match[1])
    last = first if match[2] is None else int(match[3]) if match[3] else None
    if first < 1:
        raise ValueError(f"{WANTED}: rows count from 1, and '{head(text, 40).strip()}' doesn't")
    if last is not None and last < first:
        raise ValueError(f"{WANTED}: '{head(text, 40).strip()}' ends before it begins")
    return first, last
