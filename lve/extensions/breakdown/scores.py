"""Scores over all results of a test, such as BLEU or a weighted F1, with bootstrap intervals.

They are computed from sums that checks add to (`Verdict.parts`). Each metric takes the number of
results and the sums, and gives the number that sacrebleu or lm-evaluation-harness would give.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import sqrt

from lve.extensions.breakdown.labels import metrics_of
from lve.extensions.breakdown.rates import CONFIDENCE, counted_share
from lve.named_tuples import NamedTuple
from lve.plurals import amount_of
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

Sums = Sequence[float]
_ORDERS = 4
_BETA = 2
_NO_MATCH = -9999999999.0
"""The logarithm of 0, as sacrebleu has it."""


class Metric(NamedTuple):
    """A metric over all results."""

    size: int
    """How many sums it has, besides the number of results."""
    value: Callable[[Sums], float | None]
    """Returns its value; None if it isn't defined."""
    is_better_high: bool = True


def bleu(sums: Sums) -> float:
    """Return BLEU from 0 to 100: of n-grams of one to four words, those that match and all of them;
    then the words of the answers and of the closest references. An order without matches counts
    half, the next one a quarter, and so on."""
    matches, totals = sums[1 : 1 + _ORDERS], sums[1 + _ORDERS : 1 + 2 * _ORDERS]
    answered, expected = sums[-2:]
    if not any(matches):
        return 0.0
    logs, smoothing = [_NO_MATCH] * _ORDERS, 1.0
    for order, (match, total) in enumerate(zip(matches, totals, strict=True)):
        if not total:
            break
        if not match:
            smoothing *= 2
        logs[order] = math.log(100 * match / total if match else 100 / (smoothing * total))
    penalty = 1.0 if answered >= expected else math.exp(1 - expected / answered)
    return penalty * math.exp(sum(logs) / _ORDERS)


def chrf(sums: Sums) -> float:
    """Return chrF from 0 to 100: for each order, the n-grams of answers, of references, and of
    both."""
    precisions, recalls = list[float](), list[float]()
    for start in range(1, len(sums), 3):
        answered, expected, both = sums[start : start + 3]
        if answered and expected:
            precisions.append(both / answered)
            recalls.append(both / expected)
    precision, recall = sum(precisions), sum(recalls)
    if not precision + recall:
        return 0.0
    precision, recall = precision / len(precisions), recall / len(recalls)
    return 100 * (1 + _BETA**2) * precision * recall / (_BETA**2 * precision + recall)


def ter(sums: Sums) -> float:
    """Return the translation edit rate in percent: edits, and words of references."""
    _, edits, words = sums
    if words:
        return 100 * edits / words
    return 100.0 if edits else 0.0


def _perplexity(sums: Sums) -> float | None:
    """Return the perplexity of a sum of log-likelihoods, for each unit."""
    units = sums[2] if len(sums) > 2 else sums[0]
    return math.exp(min(-sums[1] / units, 700.0)) if units else None


def _bits(sums: Sums) -> float | None:
    return -sums[1] / sums[2] / math.log(2) if sums[2] else None


METRICS: Mapping[str, Metric] = {
    "bleu": Metric(2 * _ORDERS + 2, bleu),
    "chrf": Metric(18, chrf),
    "chrf++": Metric(24, chrf),
    "ter": Metric(2, ter, is_better_high=False),
    "perplexity": Metric(1, _perplexity, is_better_high=False),
    "word_perplexity": Metric(2, _perplexity, is_better_high=False),
    "byte_perplexity": Metric(2, _perplexity, is_better_high=False),
    "bits_per_byte": Metric(2, _bits, is_better_high=False),
}
"""Name of a part -> its metric. Other names, which only code of a test can give, are skipped."""


def value_of(name: str, rows: Sequence[Sequence[float]]) -> float | None:
    """Return a metric over the parts of some results; None if it isn't defined.

    Args:
        name: of the parts.
        rows: the numbers of each result.
    """
    return METRICS[name].value([float(len(rows)), *map(sum, zip(*rows, strict=True))])


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
    tests: int | None = None
    """Of a group of tests, whose name `test` is then: how many it has."""

    @property
    def missing(self) -> str:
        """What isn't in it, as in `, over 3 of 4 results`; empty if everything is."""
        if self.results >= self.total:
            return ""
        return f", over {amount_of(self.results, self.total, 'result')}"

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
            **({} if self.tests is None else {"tests": self.tests}),
        }


def scores_of(summary: Summary) -> Iterator[Score]:
    """Yield the scores of each test and model."""
    for _, tally in sorted(summary.tallies.items()):
        yield from scores_of_test(tally)


def scores_of_test(tally: Tally) -> Iterator[Score]:
    """Yield the scores over all results of a test."""
    for name, shares in sorted(tally.numbers.parts.items()):
        metric = METRICS.get(name)
        rows = tuple([tuple(sums) for _, sums in sorted(shares.items())])
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
    tally: Tally, name: str, metric: Metric, rows: tuple[tuple[float, ...], ...]
) -> Iterator[Score]:
    whole = _added(rows)
    value = metric.value(whole)
    if value is None:
        return
    low, high = _ends_of_parts(metric.value, rows, value)
    of, results, is_high = (tally.test, tally.model, name), round(whole[0]), metric.is_better_high
    yield Score(*of, value, low, high, results, is_high, tally.total)


@lru_cache(maxsize=256)  # every report asks, and every group that a test is in
def _ends_of_parts(
    value_of_sums: Callable[[Sums], float | None], rows: tuple[tuple[float, ...], ...], value: float
) -> tuple[float | None, float | None]:
    chance = random.Random(_SEED)
    return _interval(
        lambda: value_of_sums(_added(chance.choices(rows, k=len(rows)))), value, len(rows), 1.0
    )


def _of_labels(tally: Tally, pairs: Mapping[tuple[str, str], int]) -> Iterator[Score]:
    results = sum(pairs.values())
    independent = max(2, round(results * counted_share(tally)))
    for name, value, low, high in _label_metrics(tuple(pairs.items()), independent):
        of = (tally.test, tally.model, name)
        yield Score(*of, value, low, high, results, True, tally.total)


@lru_cache(maxsize=256)
def _label_metrics(
    items: tuple[tuple[tuple[str, str], int], ...], independent: int
) -> Sequence[tuple[str, float, float | None, float | None]]:
    """Return name, value and interval of each metric of labels."""
    pairs, scores = dict(items), list[tuple[str, float, float | None, float | None]]()
    results, drawn = sum(pairs.values()), min(independent, MAX_DRAWN)
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
        scores.append((name, value, low, high))
    return scores


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
