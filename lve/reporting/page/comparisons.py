"""What a page compares: each session with the one after it; in a single session, its models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, pairwise
from typing import Any, NamedTuple

from lve.comparison.compare import compare
from lve.comparison.comparison_json import comparison_json
from lve.comparison.session_side import SessionSide
from lve.comparison.side import Hash, Row, Side, SideFacts, stable_hash
from lve.errors import UsageError
from lve.reporting.page.chunks import packed
from lve.results.records import InstanceResult
from lve.verdicts.recorded import RecordedSession

MOST = 6
"""Comparisons of a page; `lve compare` makes any other."""
KEPT_ROWS = 200_000
MAX_FLIPS = 1000
"""Results that flipped, with both answers, in all of them together; those that broke come first."""


Models = tuple[str, str]


class PageComparison(NamedTuple):
    """Two sides that a page compares."""

    before: str
    now: str
    models: Models | None
    """Of one session; None: two sessions are compared."""
    text: str = ""
    """What came out, as a chunk."""
    problem: str = ""
    """Why they can't be compared."""

    def heading(self) -> dict[str, Any]:
        """Return what the page's summary says of it."""
        fields = {"before": self.before, "now": self.now, "of_models": self.models is not None}
        return {**fields, **({"problem": self.problem} if self.problem else {})}


def page_comparisons(sessions: Sequence[RecordedSession]) -> list[PageComparison]:
    """Return the comparisons of a page.

    Args:
        sessions: that it reports, in the user's order.

    Raises:
        SessionError: a session can't be read any more.
    """
    # What can't be read was told of when the sessions were read.
    sides: list[Side] = [
        _Remembered(SessionSide(one.folder, warn=lambda _: None)) for one in sessions
    ]
    pairs = list(islice(_pairs(sides, sessions), MOST))
    return [_compared(*pair, most_flips=MAX_FLIPS // len(pairs)) for pair in pairs]


def _pairs(
    sides: Sequence[Side], sessions: Sequence[RecordedSession]
) -> Iterator[tuple[Side, Side, Models | None]]:
    if len(sides) > 1:
        yield from ((before, now, None) for before, now in pairwise(sides))
        return
    models = sorted({model for _, model in sessions[0].index.pairs})
    yield from ((sides[0], sides[0], pair) for pair in combinations(models, 2))


def _compared(before: Side, now: Side, models: Models | None, *, most_flips: int) -> PageComparison:
    names = models or (before.facts.short, now.facts.short)
    try:
        found = compare(before, now, models=models)
    except UsageError as error:
        return PageComparison(*names, models, problem=str(error))
    shown = replace(found, flips=found.flips[:most_flips])
    return PageComparison(*names, models, packed(comparison_json(shown)))


class _Remembered:
    """A session whose rows are read once, as long as they are few: each pair of models wants them
    all."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._rows: list[Row] | None = None
        self._sum_of: Hash | None = None

    @property
    def facts(self) -> SideFacts:
        """What is known of all of them."""
        return self._side.facts

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield its results."""
        if self._rows is not None and self._sum_of is hash_of:
            yield from self._rows
            return
        kept: list[Row] = []
        for row in self._side.rows(hash_of):
            if len(kept) <= KEPT_ROWS:
                kept.append(row)
            yield row
        if len(kept) <= KEPT_ROWS:
            self._rows, self._sum_of = kept, hash_of

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result."""
        return self._side.result(where)
