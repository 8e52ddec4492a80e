"""A sequential test of a rate, which is valid at any number of interim analyses.

The e-value against "the rate is at most the threshold" is the wealth of a gambler who starts with 1
and bets on every result at odds that are fair if the rate is the threshold, with the stake spread
evenly over all higher rates (Ville 1939; Robbins, Ann. Math. Stat. 41, 1970, pp. 1397-1409;
Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86, 2024, pp. 1-27). If the rate isn't above the
threshold, the probability that the wealth ever reaches 1/alpha is at most alpha, whenever and for
whatever reason one stops.

Instances may have different rates. The bets of one round (a repeat of all instances) don't depend
on each other, so the expected product of a round is at most that of instances that all have the
mean rate (inequality of arithmetic and geometric means). Therefore the test is valid for the mean
rate of any instances, if it is only evaluated after complete rounds.
"""

from __future__ import annotations

import math
from functools import lru_cache

from lve.verdicts.rates.beta import incomplete_beta, log_beta


@lru_cache(maxsize=4096)
def log_e_value(passed: float, failed: float, threshold: float) -> float:
    """Return the logarithm of the e-value against "the rate is at most `threshold`".

    Args:
        passed: number of results that passed.
        failed: number of results that failed.
        threshold: from 0 to 1.
    """
    if threshold >= 1:
        return -math.inf
    if threshold <= 0:
        return math.inf if passed else 0.0
    # The mean likelihood of the rates above the threshold, divided by that of the threshold.
    share = incomplete_beta(1 - threshold, failed + 1, passed + 1)
    if share <= 0:
        return -math.inf
    mean = log_beta(passed + 1, failed + 1) + math.log(share) - math.log1p(-threshold)
    return mean - passed * math.log(threshold) - failed * math.log1p(-threshold)
