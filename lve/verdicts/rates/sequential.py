"""Deciding about a rate after every repeat, as often as wanted, without breaking the promise of
the confidence.

The evidence that the rate is above a threshold is what a gambler has made who began with 1 and bet
on every result at odds that are fair if the rate is the threshold (Ville 1939; Robbins, Ann. Math.
Stat. 41, 1970, pp. 1397-1409; Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86, 2024, pp. 1-27). The
gambler spreads the stake evenly over all higher rates. If the rate isn't above the threshold, the
chance that the fortune ever reaches 1/alpha is at most alpha, however often one looks and for
whatever reason one stops.

Instances differ. The bets of one round (a repeat of all instances) don't depend on each other, so
the expected product of a round is at most that of instances which all have the mean rate (the
inequality of the means). The promise therefore holds for the mean rate of any instances, if the
numbers are looked at after whole rounds only.
"""

from __future__ import annotations

import math
from functools import lru_cache

from lve.verdicts.rates.beta import incomplete_beta, log_beta


@lru_cache(maxsize=4096)
def evidence(passed: int, failed: int, threshold: float) -> float:
    """Return the logarithm of the evidence that the rate is above a threshold.

    Args:
        passed: results that passed.
        failed: results that failed.
        threshold: of the rate.
    """
    if threshold >= 1:
        return -math.inf
    if threshold <= 0:
        return math.inf if passed else 0.0
    # The mean likelihood of the rates above the threshold, over the likelihood of the threshold.
    share = incomplete_beta(1 - threshold, failed + 1, passed + 1)
    if share <= 0:
        return -math.inf
    mean = log_beta(passed + 1, failed + 1) + math.log(share) - math.log1p(-threshold)
    return mean - passed * math.log(threshold) - failed * math.log1p(-threshold)
