"""Agreement of a checker's verdicts with people's labels.

Labels of one instance are correlated, so an instance is the unit. Shares of labels have the
intervals of `rates.clusters`: exact if every instance has one label, otherwise over the instances.
Kappa is Cohen's (Educ. Psychol. Meas. 20, 1960) with the standard error of Fleiss, Cohen
and Everitt (Psychol. Bull. 72, 1969). For the interval, a constant is added to every cell of the
table, as Agresti and Coull (Am. Stat. 52, 1998) do for rates: otherwise the interval of a few
labels that all agree would have width 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import normal_quantile
from lve.verdicts.rates.clusters import Estimate, effective_sample_size, population_rate


class Labelled(NamedTuple):
    """An answer with a person's label and a checker's verdict."""

    instance: Hashable
    """The instance of the answer."""
    label: bool
    """Whether the person passed it."""
    verdict: bool
    """Whether the checker passed it."""


class Share(NamedTuple):
    """A share of labels."""

    estimate: Estimate
    hits: int
    labels: int
    number: float
    """The effective number of independent labels."""


class Confusion(NamedTuple):
    """The confusion matrix of labels and verdicts."""

    true_passes: int
    false_failures: int
    """The checker failed what people passed."""
    false_passes: int
    """The checker passed what people failed."""
    true_failures: int

    @classmethod
    def of(cls, rows: Iterable[Labelled]) -> Confusion:
        """Count labels and verdicts."""
        counts = Counter((row.label, row.verdict) for row in rows)
        return cls(
            counts[True, True], counts[True, False], counts[False, True], counts[False, False]
        )

    @property
    def total(self) -> int:
        """Number of labels."""
        return sum(self)


class LabelAgreement(NamedTuple):
    """Measures of a checker's agreement with labels. A measure without labels for it is None."""

    table: Confusion
    instances: int
    """Number of instances with labels."""
    kappa: Estimate | None
    """None if people and the checker both gave only one verdict."""
    accuracy: Share | None
    tpr: Share | None
    """True positive rate: of the answers that people pass, those that the checker passes."""
    tnr: Share | None
    """True negative rate: of the answers that people fail, those that the checker fails."""
    precision: Share | None
    """Of the answers that the checker passes, those that people pass."""


def label_agreement(rows: Sequence[Labelled], *, confidence: float = 0.95) -> LabelAgreement:
    """Compute the agreement of a checker with labels.

    Args:
        rows: labels, each with the checker's verdict.
        confidence: of the intervals.
    """
    table = Confusion.of(rows)
    accuracy = _share(((row.instance, row.label == row.verdict) for row in rows), confidence)
    independent = accuracy.number / accuracy.labels if accuracy else 1.0
    return LabelAgreement(
        table,
        len({row.instance for row in rows}),
        kappa_interval(table, confidence=confidence, independent=independent),
        accuracy,
        tpr=_share(((r.instance, r.verdict) for r in rows if r.label), confidence),
        tnr=_share(((r.instance, not r.verdict) for r in rows if not r.label), confidence),
        precision=_share(((r.instance, r.label) for r in rows if r.verdict), confidence),
    )


def kappa_interval(
    table: Confusion, *, confidence: float = 0.95, independent: float = 1.0
) -> Estimate | None:
    """Return Cohen's kappa with its interval; None if it isn't defined.

    Args:
        table: counts of labels and verdicts.
        confidence: of the interval.
        independent: effective number of independent labels, divided by the number of labels.
    """
    value = kappa(table)
    if value is None:
        return None
    z = normal_quantile((1 + confidence) / 2)
    fuller = [count * independent + z * z / 4 for count in table]
    middle, error = _kappa_and_error(fuller)
    low, high = max(middle - z * error, -1.0), min(middle + z * error, 1.0)
    units = max(round(table.total * independent), 1)
    return Estimate(value, min(low, value), max(high, value), confidence, units)


def kappa(table: Confusion) -> float | None:
    """Return Cohen's kappa, the agreement beyond chance; None if labels and verdicts are all the
    same."""
    if not table.total or _by_chance(table) >= 1:
        return None
    return _kappa_and_error(table)[0]


def kappa_error(table: Confusion) -> float:
    """Return the standard error of kappa for large samples."""
    return _kappa_and_error(table)[1]


def _by_chance(cells: Sequence[float]) -> float:
    both, people, checker, neither = (cell / sum(cells) for cell in cells)
    return (both + people) * (both + checker) + (neither + checker) * (neither + people)


def _kappa_and_error(cells: Sequence[float]) -> tuple[float, float]:
    total = sum(cells)
    both, people, checker, neither = (cell / total for cell in cells)
    chance = _by_chance(cells)
    value = (both + neither - chance) / (1 - chance)
    rest = 1 - value
    said_pass, said_fail = 2 * both + people + checker, 2 * neither + people + checker
    agreed = both * (1 - said_pass * rest) ** 2 + neither * (1 - said_fail * rest) ** 2
    crossed = people * (both + checker + checker + neither) ** 2
    crossed += checker * (both + people + people + neither) ** 2
    spread = agreed + rest * rest * crossed - (value - chance * rest) ** 2
    return value, math.sqrt(max(spread, 0.0) / total) / (1 - chance)


def _share(rows: Iterable[tuple[Hashable, bool]], confidence: float) -> Share | None:
    """Return the share of true values; None without rows.

    Args:
        rows: pairs of an instance and a value.
        confidence: of the interval.
    """
    by_instance: dict[Hashable, list[int]] = {}
    for instance, hit in rows:
        instance_counts = by_instance.setdefault(instance, [0, 0])
        instance_counts[0] += hit
        instance_counts[1] += 1
    hits, labels = (sum(counts[i] for counts in by_instance.values()) for i in (0, 1))
    if not labels:
        return None
    counts = Counter((passed, judged) for passed, judged in by_instance.values())
    rate = population_rate(counts, confidence=confidence)
    assert rate is not None
    # The share is that of all labels, as in the table; its interval is over the instances.
    value = hits / labels
    estimate = rate._replace(value=value, low=min(rate.low, value), high=max(rate.high, value))
    return Share(estimate, hits, labels, effective_sample_size(counts, confidence=confidence))
