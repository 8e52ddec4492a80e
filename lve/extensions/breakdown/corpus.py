"""Metrics over all results of a test, computed from sums that checks add to (`Verdict.parts`).

Each takes the number of results and the sums, and gives the number that sacrebleu or
lm-evaluation-harness would give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from lve.named_tuples import NamedTuple

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
