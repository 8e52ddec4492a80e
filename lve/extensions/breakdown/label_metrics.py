"""Metrics of labels over all results, from the counts of right and chosen ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

from lve.checkers.library.choice import NO_LABEL
from lve.verdicts.breakdown import REST

Pairs = Mapping[tuple[str, str], float]
"""(right label, chosen label) -> number of results."""
_BINARY = {"0", "1"}


def f1_of(pairs: Pairs, label: str) -> float:
    """Return the F1 of a label; 0 where it isn't defined, as in scikit-learn."""
    right = sum(count for (own, _), count in pairs.items() if own == label)
    chosen = sum(count for (_, own), count in pairs.items() if own == label)
    both = pairs.get((label, label), 0)
    return 2 * both / (right + chosen) if right + chosen else 0.0


def f1_macro(pairs: Pairs) -> float:
    """Return the mean F1 of the labels that any row has or any answer chose; 0 without any."""
    labels = {label for pair in pairs for label in pair} - {NO_LABEL, REST}
    return sum(f1_of(pairs, label) for label in sorted(labels)) / max(1, len(labels))


def f1_weighted(pairs: Pairs) -> float:
    """Return the mean F1 of the labels, each as often as rows have it."""
    rows = Counter[str]()
    for (right, _), count in pairs.items():
        rows[right] += count  # type: ignore[assignment]  # shares of a count are numbers, too
    return sum(count * f1_of(pairs, label) for label, count in rows.items()) / sum(rows.values())


def mcc(pairs: Pairs) -> float:
    """Return Matthews' correlation coefficient of any number of labels; 0 where it isn't
    defined."""
    whole = sum(pairs.values())
    hits = sum(count for (right, chosen), count in pairs.items() if right == chosen)
    labels = {label for pair in pairs for label in pair}
    rights = [sum(c for (own, _), c in pairs.items() if own == label) for label in labels]
    chosen = [sum(c for (_, own), c in pairs.items() if own == label) for label in labels]
    covariance = hits * whole - sum(r * c for r, c in zip(rights, chosen, strict=True))
    spread = (whole**2 - sum(r * r for r in rights)) * (whole**2 - sum(c * c for c in chosen))
    return covariance / math.sqrt(spread) if spread > 0 else 0.0


def metrics_of(pairs: Pairs) -> Mapping[str, Callable[[Pairs], float]]:
    """Return the metrics that go with the labels: of `0` and `1`, also the F1 of `1`."""
    metrics: dict[str, Callable[[Pairs], float]] = {
        "f1_macro": f1_macro,
        "f1_weighted": f1_weighted,
        "mcc": mcc,
    }
    if {label for pair in pairs for label in pair} <= _BINARY:
        metrics["f1_of_1"] = lambda drawn: f1_of(drawn, "1")
    return metrics
