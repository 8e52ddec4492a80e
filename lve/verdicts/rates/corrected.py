"""Pass rates corrected for the measured error rates of a judge.

A judge that passes a share `tpr` of the good answers and fails a share `tnr` of the bad ones
reports the rate `true * tpr + (1 - true) * (1 - tnr)`. Solved for the true rate, this is the
estimate of Rogan and Gladen (Am. J. Epidemiol. 107, 1978, pp. 71-76). The interval is that of Lang
and Reiczigel (Prev. Vet. Med. 113, 2014, pp. 13-22), which accounts for the error rates being
estimated from a few labels.

If repeats end as soon as the judge's rate can be decided, the coverage of that interval is too low.
Then it is computed for a smaller number of results: the number whose usual interval is as wide as
the bounds of the sequential test (`sequential`). benchmarks/calibration.py simulates both.
"""

from __future__ import annotations

import math
from typing import Any

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import normal_quantile
from lve.verdicts.rates.clusters import (
    Counts,
    Estimate,
    effective_sample_size,
    equivalent_sample_size,
    population_rate,
)
from lve.verdicts.rates.statistics import rate_bounds


class JudgeErrors(NamedTuple):
    """The error rates of a judge, measured with labels."""

    tpr: float
    """True positive rate: of the answers that people pass, the share that the judge passes."""
    good: float
    """Effective number of independent labels for `tpr`."""
    tnr: float
    """True negative rate: of the answers that people fail, the share that the judge fails."""
    bad: float
    """Effective number of independent labels for `tnr`."""
    served: frozenset[str] = frozenset()
    """Ids of the judging model that was measured, as returned by its server."""
    is_required: bool = False
    """Whether the judge's verdicts are advisory if another model judges."""

    @property
    def is_informative(self) -> bool:
        """Whether the judge is better than a coin."""
        return self.tpr + self.tnr > 1 and self.good > 0 and self.bad > 0

    def to_json(self) -> dict[str, Any]:
        """Return the fields as in schemas/session_test.schema.json."""
        return {**self._asdict(), "served": sorted(self.served)}


def corrected_for_results(
    passed: int,
    total: int,
    errors: JudgeErrors,
    *,
    confidence: float = 0.95,
    sequential: bool = False,
) -> Estimate | None:
    """Return the corrected rate of independent results; None as in `corrected_rate`.

    Args:
        passed: number of results that the judge passed.
        total: number of results, at least one.
        errors: of the judge.
        confidence: of the interval.
        sequential: whether repeats end as soon as the judge's rate can be decided.
    """
    number = float(total)
    if sequential:
        number = equivalent_fixed_sample(passed, total, confidence=confidence)
    return corrected_rate(passed / total, number, errors, confidence=confidence)


def corrected_for_clusters(
    counts: Counts, errors: JudgeErrors, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the corrected rate of the population of the clusters; None as in `corrected_rate`.

    Args:
        counts: results of the clusters.
        errors: of the judge.
        confidence: of the interval.
    """
    rate = population_rate(counts, confidence=confidence)
    if rate is None:
        return None
    number = effective_sample_size(counts, confidence=confidence)
    return corrected_rate(rate.value, number, errors, confidence=confidence)


def corrected_rate(
    rate: float, number: float, errors: JudgeErrors, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the estimated rate of a judge without errors; None if the judge isn't better than a
    coin.

    Args:
        rate: the judge's, from 0 to 1.
        number: effective number of independent results.
        errors: of the judge.
        confidence: of the interval.
    """
    if not errors.is_informative or number <= 0:
        return None
    value = (rate + errors.tnr - 1) / (errors.tpr + errors.tnr - 1)
    low, high = _limits(rate, number, errors, normal_quantile((1 + confidence) / 2))
    value = min(max(value, 0.0), 1.0)
    return Estimate(value, min(low, value), max(high, value), confidence, math.floor(number))


def equivalent_fixed_sample(passed: int, total: int, *, confidence: float = 0.95) -> float:
    """Return the size of a fixed sample with as much information as a sequential one, whose size
    depends on its results: the one with an equally wide interval.

    Args:
        passed: from 0 to `total`.
        total: number of results, at least one.
        confidence: of the interval.
    """
    each = 1 - (1 - confidence) / 2
    bounds = rate_bounds(passed, total, confidence=each, sequential=True)
    return equivalent_sample_size(passed / total, bounds.low, bounds.high, confidence, most=total)


def _limits(rate: float, number: float, errors: JudgeErrors, z: float) -> tuple[float, float]:
    """Return Lang and Reiczigel's limits: a Wald interval for counts to which a constant is added,
    around a shifted center."""
    shifted_rate = (rate * number + z * z / 2) / (number + z * z)
    tpr = (errors.tpr * errors.good + 1) / (errors.good + 2)
    tnr = (errors.tnr * errors.bad + 1) / (errors.bad + 2)
    gain = tpr + tnr - 1
    if gain <= 0:
        return 0.0, 1.0
    middle = (shifted_rate + tnr - 1) / gain
    of_tpr = tpr * (1 - tpr) / (errors.good + 2)
    of_tnr = tnr * (1 - tnr) / (errors.bad + 2)
    spread = shifted_rate * (1 - shifted_rate) / (number + z * z)
    spread += of_tpr * middle * middle + of_tnr * (1 - middle) ** 2
    shift = 2 * z * z * (middle * of_tpr - (1 - middle) * of_tnr)
    half = z * math.sqrt(spread) / gain
    return max(middle + shift - half, 0.0), min(middle + shift + half, 1.0)
