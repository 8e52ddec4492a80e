"""Scores over all results of a test, such as BLEU or a weighted F1, with bootstrap intervals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import sqrt

from lve.extensions.breakdown.corpus import METRICS, Metric
from lve.extensions.breakdown.label_metrics import metrics_of
from lve.extensions.breakdown.rates import CONFIDENCE, counted_share
from lve.named_tuples import NamedTuple
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

RESAMPLES = 500
MAX_DRAWN = 500
"""Results of a resample of labels at most; its deviations are scaled to all of them."""
_SEED = 0


class Score(NamedTuple):
    """A score over all results of a test."""

    test: str
    model: str
    name: str
    value: float
    low: float | None
    high: float | None
    """The ends of its bootstrap interval; None for a single row, and where all resamples give the
    same: of perfect answers alone the bootstrap would claim certainty."""
    results: int
    is_better_high: bool
    total: int
    """Results of the test, also those that couldn't be judged, or whose check gave no numbers."""

    @property
    def missing(self) -> str:
        """What isn't in it, as in `, over 3 of 4 results`; empty if everything is."""
        if self.results >= self.total:
            return ""
        return f", over {self.results:,} of {self.total:,} results"

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/report.schema.json."""
        return {
            "test": self.test,
            "model": self.model,
            "name": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence": CONFIDENCE,
            "results": self.results,
            "higher_is_better": self.is_better_high,
        }


def scores_of(summary: Summary) -> Iterator[Score]:
    """Yield the scores of each test and model."""
    for _, tally in sorted(summary.tallies.items()):
        for name, shares in sorted(tally.numbers.parts.items()):
            metric = METRICS.get(name)
            rows = [tuple(sums) for _, sums in sorted(shares.items())]
            if metric is not None and all(len(row) == 1 + metric.size for row in rows):
                yield from _of_parts(tally, name, metric, rows)
        if tally.numbers.labels:
            yield from _of_labels(tally, tally.numbers.labels)
        if isinstance(overall := tally.numbers.overall, Mapping):
            for name, value in overall.items():
                of = (tally.test, tally.model, name)
                yield Score(*of, value, None, None, tally.total, True, tally.total)


def unscored(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield test, model and reason where a scorer hasn't judged all rows together."""
    for (test, model), tally in sorted(summary.tallies.items()):
        if isinstance(tally.numbers.overall, str):
            yield test, model, tally.numbers.overall


def _of_parts(
    tally: Tally, name: str, metric: Metric, rows: Sequence[tuple[float, ...]]
) -> Iterator[Score]:
    whole = _added(rows)
    value = metric.value(whole)
    if value is None:
        return
    chance = random.Random(_SEED)
    low, high = _interval(
        lambda: metric.value(_added(chance.choices(rows, k=len(rows)))), value, len(rows), 1.0
    )
    of, results, is_high = (tally.test, tally.model, name), round(whole[0]), metric.is_better_high
    yield Score(*of, value, low, high, results, is_high, tally.total)


def _of_labels(tally: Tally, pairs: Mapping[tuple[str, str], int]) -> Iterator[Score]:
    results = sum(pairs.values())
    independent = max(2, round(results * counted_share(tally)))
    drawn = min(independent, MAX_DRAWN)
    kinds, counts = list(pairs), list(accumulate(pairs.values()))
    chance = random.Random(_SEED)
    resamples = [
        Counter(chance.choices(kinds, cum_weights=counts, k=drawn))
        for _ in range(RESAMPLES * (results > 1))
    ]
    for name, metric in metrics_of(pairs).items():
        value, draws = metric(pairs), iter(resamples)
        low, high = _interval(
            lambda metric=metric, draws=draws: metric(next(draws)),  # type: ignore[misc]
            value,
            results,
            sqrt(drawn / independent),
        )
        of = (tally.test, tally.model, name)
        yield Score(*of, value, low, high, results, True, tally.total)


def _interval(
    draw: Callable[[], float | None], value: float, rows: int, scale: float
) -> tuple[float | None, float | None]:
    """Return the ends between which the middle of the resampled values lies, around a value from
    which their deviations are scaled."""
    if rows < 2:
        return None, None
    drawn = [each for each in (draw() for _ in range(RESAMPLES)) if each is not None]
    drawn.sort()
    if not drawn or drawn[0] == drawn[-1]:
        return None, None
    outside = (1 - CONFIDENCE) / 2
    ends = (drawn[int(outside * len(drawn))], drawn[-1 - int(outside * len(drawn))])
    low, high = (value + (end - value) * scale for end in ends)
    return min(low, value), max(high, value)


def _added(rows: Sequence[tuple[float, ...]]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]
