"""The comparisons of a page: each session with the next one, or the models of a single session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise

from lve.comparison.compare import compare
from lve.comparison.comparison_json import comparison_json
from lve.comparison.session_side import SessionSide
from lve.comparison.side import Hash, Row, Side, SideFacts, stable_hash
from lve.errors import UsageError
from lve.extensions.reports.page.chunks import packed
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.recorded_session import SummedSession

MAX_COMPARISONS = 6
"""Comparisons of a page; `lve compare` can make any other."""
CACHED_ROWS = 200_000
"""Rows of a session that are kept in memory; more are read again for each pair of models."""
MOST_FLIPS = 1000
"""Flips with both answers in all comparisons of a page together; broken ones come first."""
Models = tuple[str, str]


class Pair(NamedTuple):
    """Two sides, or two models of one."""

    before: Side
    now: Side
    models: Models | None = None
    """The two models of one session; None: two sessions are compared."""
    most_flips: int = MOST_FLIPS

    @property
    def names(self) -> Models:
        """What the page calls the two."""
        return self.models or (self.before.facts.short, self.now.facts.short)


class PageComparison(NamedTuple):
    """A comparison of two sessions, or of two models of a session."""

    before: str
    now: str
    models: Models | None
    """The two models of one session; None: two sessions are compared."""
    text: str = ""
    """The comparison as a chunk."""
    problem: str = ""
    """Why the two can't be compared."""

    def heading(self) -> dict[str, object]:
        """Return its entry in the page's summary."""
        fields = {"before": self.before, "now": self.now, "of_models": self.models is not None}
        return {**fields, **({"problem": self.problem} if self.problem else {})}


def page_comparisons(sessions: Sequence[SummedSession]) -> list[PageComparison]:
    """Return the comparisons of a page.

    Args:
        sessions: the sessions of the page, in the user's order.

    Raises:
        SessionError: a session can't be read any more.
    """
    return [compared(pair) for pair in pairs_of(sessions)]


def pairs_of(sessions: Sequence[SummedSession]) -> list[Pair]:
    """Return what a page compares; the argument and errors are those of `page_comparisons`."""
    # Without warnings: unreadable lines were reported when the sessions were opened.
    sides: list[Side] = [
        _CachedSide(SessionSide(session.folder, warn=lambda _: None)) for session in sessions
    ]
    pairs = list(islice(_pairs(sides, sessions), MAX_COMPARISONS))
    return [pair._replace(most_flips=MOST_FLIPS // len(pairs)) for pair in pairs]


def _pairs(sides: Sequence[Side], sessions: Sequence[SummedSession]) -> Iterator[Pair]:
    if len(sides) > 1:
        yield from (Pair(before, now) for before, now in pairwise(sides))
        return
    tallies = sessions[0].summary.tallies
    models = sorted({model for (_, model), tally in tallies.items() if tally.total})
    yield from (Pair(sides[0], sides[0], pair) for pair in combinations(models, 2))


def compared(pair: Pair) -> PageComparison:
    """Compare two sides.

    Raises:
        SessionError: a session can't be read any more.
    """
    before, now, models, most_flips = pair
    try:
        comparison = compare(before, now, models=models, most_flips=most_flips)
    except UsageError as error:
        return PageComparison(*pair.names, models, problem=str(error))
    return PageComparison(*pair.names, models, packed(comparison_json(comparison)))


class _CachedSide:
    """A session whose rows are read only once if there are at most `CACHED_ROWS`: each pair of
    models needs all of them."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._rows: list[Row] | None = None
        self._hash_of: Hash | None = None

    @property
    def facts(self) -> SideFacts:
        """The facts about the session."""
        return self._side.facts

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield its results."""
        if self._rows is not None and self._hash_of is hash_of:
            yield from self._rows
            return
        cached: list[Row] = []
        for row in self._side.rows(hash_of):
            if len(cached) <= CACHED_ROWS:
                cached.append(row)
            yield row
        if len(cached) <= CACHED_ROWS:
            self._rows, self._hash_of = cached, hash_of

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result."""
        return self._side.result(where)
