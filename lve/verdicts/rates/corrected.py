"""Pass rates corrected for the known errors of a judge.

A judge that passes `tpr` of the good answers and fails `tnr` of the bad ones reports the rate
`true * tpr + (1 - true) * (1 - tnr)`. Solved for the true rate, this is Rogan and Gladen's estimate
(Am. J. Epidemiol. 107, 1978, pp. 71-76). Its interval is Lang and Reiczigel's (Prev. Vet. Med. 113,
2014, pp. 13-22), which knows that the judge's errors are estimated from a few labels, too.

Where repeats end as soon as the judge's rate can decide, that interval covers too little. Then the
results count as the fewer ones whose usual interval is as wide as the bounds that hold whenever one
stops (`sequential`). benchmarks/calibration.py simulates both.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from lve.verdicts.rates.beta import normal_quantile
from lve.verdicts.rates.clusters import Counts, Estimate, cluster_means, effective_number
from lve.verdicts.rates.statistics import rate_bounds


class JudgeErrors(NamedTuple):
    """What labels say about a judge's errors."""

    tpr: float
    """Of the answers that people pass, the share that the judge passes."""
    good: float
    """How many independent labels of such answers that rests on."""
    tnr: float
    """Of the answers that people fail, the share that the judge fails."""
    bad: float
    """How many independent labels of such answers that rests on."""
    served: frozenset[str] = frozenset()
    """Ids of the judging model that this was measured with, as far as its server said any."""
    is_required: bool = False
    """Whether the judge's verdicts are advisory if this doesn't hold."""

    @property
    def tells(self) -> bool:
        """Whether the judge tells good from bad at all, better than a coin."""
        return self.tpr + self.tnr > 1 and self.good > 0 and self.bad > 0

    def to_json(self) -> dict[str, Any]:
        """Return them as schemas/session_test.schema.json has them."""
        return {**self._asdict(), "served": sorted(self.served)}


def corrected_for_results(
    passed: int,
    total: int,
    errors: JudgeErrors,
    *,
    confidence: float = 0.95,
    sequential: bool = False,
) -> Estimate | None:
    """Return the corrected rate of independent results; None as for `corrected_rate`.

    Args:
        passed: results that the judge passed.
        total: results, at least one.
        errors: of the judge.
        confidence: of the interval.
        sequential: whether repeats end as soon as the judge's rate can decide.
    """
    number = float(total)
    if sequential:
        number = sequential_number(passed, total, confidence=confidence)
    return corrected_rate(passed / total, number, errors, confidence=confidence)


def corrected_for_clusters(
    counts: Counts, errors: JudgeErrors, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the corrected rate for clusters like these; None as for `corrected_rate`.

    Args:
        counts: results of the clusters.
        errors: of the judge.
        confidence: of the interval.
    """
    means = cluster_means(counts)
    number = effective_number(means, confidence=confidence)
    return corrected_rate(means.mean, number, errors, confidence=confidence)


def corrected_rate(
    rate: float, number: float, errors: JudgeErrors, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the rate that a judge without errors would have found; None if the judge is no better
    than a coin.

    Args:
        rate: that the judge found, from 0 to 1.
        number: how many independent results it rests on.
        errors: of the judge.
        confidence: of the interval.
    """
    if not errors.tells or number <= 0:
        return None
    value = (rate + errors.tnr - 1) / (errors.tpr + errors.tnr - 1)
    low, high = _limits(rate, number, errors, normal_quantile((1 + confidence) / 2))
    value = min(max(value, 0.0), 1.0)
    return Estimate(value, min(low, value), max(high, value), confidence, math.floor(number))


def sequential_number(passed: int, total: int, *, confidence: float = 0.95) -> float:
    """Return how many results, decided in advance, tell as much as these, whose number depends on
    what came out.

    Args:
        passed: from 0 to `total`.
        total: results, at least one.
        confidence: of the interval.
    """
    each = 1 - (1 - confidence) / 2
    bounds = rate_bounds(passed, total, confidence=each, sequential=True)
    half, more = (bounds.high - bounds.low) / 2, normal_quantile(each) ** 2
    middle = (passed + more / 2) / (total + more)
    return min(max(middle * (1 - middle) * more / half**2 - more, 0.5), float(total))


def _limits(rate: float, number: float, errors: JudgeErrors, z: float) -> tuple[float, float]:
    """Return Lang and Reiczigel's limits: Wald's, for counts to which a little is added, around a
    middle that is shifted accordingly."""
    found = (rate * number + z * z / 2) / (number + z * z)
    tpr = (errors.tpr * errors.good + 1) / (errors.good + 2)
    tnr = (errors.tnr * errors.bad + 1) / (errors.bad + 2)
    gain = tpr + tnr - 1
    if gain <= 0:
        return 0.0, 1.0
    middle = (found + tnr - 1) / gain
    of_tpr = tpr * (1 - tpr) / (errors.good + 2)
    of_tnr = tnr * (1 - tnr) / (errors.bad + 2)
    spread = found * (1 - found) / (number + z * z)
    spread += of_tpr * middle * middle + of_tnr * (1 - middle) ** 2
    shift = 2 * z * z * (middle * of_tpr - (1 - middle) * of_tnr)
    half = z * math.sqrt(spread) / gain
    return max(middle + shift - half, 0.0), min(middle + shift + half, 1.0)
