"""Confusion matrices of the labels that answers chose, with precision, recall and F1 per label, and
the metrics over all results that they give."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

from lve.checkers.library.choice import NO_LABEL
from lve.data_classes import dataclass
from lve.extensions.breakdown.rates import CONFIDENCE, counted_share, interval_of
from lve.named_tuples import NamedTuple
from lve.verdicts.breakdown import REST
from lve.verdicts.summary import Summary

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


_LAST = (NO_LABEL, REST)


class Measure(NamedTuple):
    """A share with its 95 % interval; all None if it isn't defined."""

    value: float | None
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        """Return it as in schemas/report.schema.json."""
        return self._asdict()


class LabelScores(NamedTuple):
    """How well answers choose one label."""

    label: str
    precision: Measure
    """Of the answers that chose it, the share that are right."""
    recall: Measure
    """Of the rows whose label it is, the share that chose it."""
    f1: Measure
    """The harmonic mean of both."""
    support: int
    """Number of results whose right label it is."""

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/report.schema.json."""
        return {
            "label": self.label,
            "precision": self.precision.to_json(),
            "recall": self.recall.to_json(),
            "f1": self.f1.to_json(),
            "support": self.support,
        }


@dataclass(slots=True)
class LabelTable:
    """The labels of one test and one model."""

    test: str
    model: str
    pairs: Mapping[tuple[str, str], int]
    """(right label, chosen label) -> number of results."""
    share: float = 1.0
    """The share of the results that are independent."""

    @property
    def right(self) -> list[str]:
        """The labels that are right for some row, sorted."""
        return sorted({right for right, _ in self.pairs}, key=_order)

    @property
    def chosen(self) -> list[str]:
        """All labels, also those that no row has; the column of answers without a label is last."""
        return sorted({label for pair in self.pairs for label in pair}, key=_order)

    @property
    def matrix(self) -> list[list[int]]:
        """For each of `right`, how many answers chose each of `chosen`."""
        return [[self.pairs.get((right, one), 0) for one in self.chosen] for right in self.right]

    @property
    def accuracy(self) -> Measure:
        """The share of answers that chose the right label."""
        totals = _totals(self.pairs)
        return self._measure(totals.both.total(), totals.right.total())

    @property
    def scores(self) -> list[LabelScores]:
        """The scores of each label, except for the answers without one."""
        totals = _totals(self.pairs)
        return [self._scores(label, totals) for label in self.chosen if label not in _LAST]

    def _scores(self, label: str, totals: _Totals) -> LabelScores:
        right, chosen, hits = (counts[label] for counts in totals)
        # F1 is 2 J / (1 + J) of the share J of the results with the label on either side that have
        # it on both, so its interval follows from the exact one of J.
        joint = self._measure(hits, right + chosen - hits)
        return LabelScores(
            label,
            self._measure(hits, chosen),
            self._measure(hits, right),
            Measure(*(None if end is None else 2 * end / (1 + end) for end in joint)),
            right,
        )

    def _measure(self, part: int, whole: int) -> Measure:
        if not whole:
            return Measure(None, None, None)
        return Measure(part / whole, *interval_of(part, whole, whole * self.share))

    def macro(self) -> tuple[float | None, float | None, float | None]:
        """Return the means of precision, recall and F1 over the labels. What isn't defined for a
        label counts as 0, as in scikit-learn."""
        scores = self.scores
        if not scores:
            return None, None, None
        of = [[each.precision.value, each.recall.value, each.f1.value] for each in scores]
        precision, recall, f1 = (sum(row[n] or 0.0 for row in of) / len(of) for n in range(3))
        return precision, recall, f1

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/report.schema.json."""
        precision, recall, f1 = self.macro()
        return {
            "test": self.test,
            "model": self.model,
            "right": self.right,
            "chosen": self.chosen,
            "matrix": self.matrix,
            "accuracy": self.accuracy.to_json(),
            "labels": [each.to_json() for each in self.scores],
            "macro": {"precision": precision, "recall": recall, "f1": f1},
            "confidence": CONFIDENCE,
        }


def label_tables(summary: Summary) -> list[LabelTable]:
    """Return a table for each test and model whose answers have to choose a label."""
    return [
        LabelTable(tally.test, tally.model, tally.numbers.labels, counted_share(tally))
        for _, tally in sorted(summary.tallies.items())
        if tally.numbers.labels
    ]


def _order(label: str) -> tuple[bool, str]:
    return label in _LAST, label
