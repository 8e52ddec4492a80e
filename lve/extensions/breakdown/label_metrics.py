"""Metrics of labels over all results, from the counts of right and chosen ones, in one pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

from lve.checkers.library.choice import NO_LABEL
from lve.named_tuples import NamedTuple
from lve.verdicts.breakdown import REST

Pairs = Mapping[tuple[str, str], int]
"""(right label, chosen label) -> number of results."""
_BINARY = {"0", "1"}
LABEL_METRICS = frozenset({"f1_macro", "f1_weighted", "mcc", "f1_of_1"})
"""The names of the metrics in this file."""


class _Totals(NamedTuple):
    """How often each label is right, chosen, and both."""

    right: Counter[str]
    chosen: Counter[str]
    both: Counter[str]

    def f1(self, label: str) -> float:
        """Return the F1 of a label; 0 where it isn't defined, as in scikit-learn."""
        occurrences = self.right[label] + self.chosen[label]
        return 2 * self.both[label] / occurrences if occurrences else 0.0


def _totals(pairs: Pairs) -> _Totals:
    totals = _Totals(Counter(), Counter(), Counter())
    for (right, chosen), count in pairs.items():
        totals.right[right] += count
        totals.chosen[chosen] += count
        if right == chosen:
            totals.both[right] += count
    return totals


def f1_macro(pairs: Pairs) -> float:
    """Return the mean F1 of the labels that any row has or any answer chose; 0 without any."""
    totals = _totals(pairs)
    labels = {*totals.right, *totals.chosen} - {NO_LABEL, REST}
    return sum(totals.f1(label) for label in sorted(labels)) / max(1, len(labels))


def f1_weighted(pairs: Pairs) -> float:
    """Return the mean F1 of the labels, each as often as rows have it."""
    totals = _totals(pairs)
    weighted = sum(count * totals.f1(label) for label, count in totals.right.items())
    return weighted / totals.right.total()


def mcc(pairs: Pairs) -> float:
    """Return Matthews' correlation coefficient of any number of labels; 0 where it isn't
    defined."""
    right, chosen, both = _totals(pairs)
    whole = right.total()
    covariance = both.total() * whole - sum(n * chosen[label] for label, n in right.items())
    spreads = [whole**2 - sum(n * n for n in counts.values()) for counts in (right, chosen)]
    return covariance / math.sqrt(math.prod(spreads)) if all(spreads) else 0.0


def metrics_of(pairs: Pairs) -> Mapping[str, Callable[[Pairs], float]]:
    """Return the metrics that go with the labels: of `0` and `1`, also the F1 of `1`."""
    metrics: dict[str, Callable[[Pairs], float]] = {
        "f1_macro": f1_macro,
        "f1_weighted": f1_weighted,
        "mcc": mcc,
    }
    if {label for pair in pairs for label in pair} <= _BINARY:
        metrics["f1_of_1"] = lambda drawn: _totals(drawn).f1("1")
    return metrics
