"""The smallest drop of a pass rate that a comparison of the same rows notices.

Rows also flip by chance, in both directions. This noise is estimated from the flips of the
comparison itself, without the drop that is in them: otherwise it would count twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate

from lve.verdicts.rates.beta import beta_quantile, normal_quantile
from lve.verdicts.rates.paired import Differences, mcnemar

POWER = 0.8
"""The probability of noticing the smallest detectable drop."""
MAX_EXACT = 200
"""For more clusters the normal approximation is good, and the exact sum slow."""
NEGLIGIBLE = 1e-9
"""Numbers of fixed rows that are less likely than this are dropped."""


def min_significant_changes(alpha: float) -> int:
    """Return the smallest number of clusters that is significant if all change in one direction."""
    number = 1
    while mcnemar(number, 0) > alpha:
        number += 1
    return number


def min_detectable_drop(
    differences: Differences, *, before: float, alpha: float, power: float = POWER
) -> float | None:
    """Return the smallest drop of the rate that a comparison like this one notices, from 0 to
    `before`; None if it wouldn't notice if everything that passed before failed.

    Args:
        differences: of the clusters.
        before: the pass rate before.
        alpha: level of significance.
        power: probability of noticing the drop.
    """
    clusters = sum(differences.values())
    if not clusters:
        return None
    pairs = sum(number * times for (_, number), times in differences.items()) / clusters
    # Of several pairs, one that passed is enough for a cluster that can get worse.
    passed = round(before * clusters) if pairs == 1 else clusters
    least = min_significant_changes(alpha)
    if passed < least:
        return None
    noise = _noise(differences) / clusters
    if pairs == 1 and clusters <= MAX_EXACT:
        return _exact_drop(clusters, passed, noise, alpha, power)
    one_way = beta_quantile(power, least, passed - least + 1) * passed / clusters
    if noise <= 0:
        return one_way if one_way <= before else None
    # One pair that changes is enough to change its cluster.
    one_way = -math.expm1(math.log1p(-one_way) / pairs) if one_way < 1 else 1.0
    # The drop itself adds to the variance: drop² = quantiles² (noise + drop / pairs) / clusters.
    quantiles = normal_quantile(power) - normal_quantile(alpha / 2)
    half = quantiles * quantiles / (clusters * pairs) / 2
    both_ways = half + math.sqrt(half * half + quantiles * quantiles * 2 * noise / clusters)
    drop = max(one_way, both_ways)
    return drop if drop <= before else None


@lru_cache(maxsize=256)
def _exact_drop(rows: int, passed: int, noise: float, alpha: float, power: float) -> float | None:
    """Return the smallest drop by exact sums, which take up to 0.1 s: many tests of a suite have
    the same numbers. Arguments as for `_chance_of_notice`."""
    return _smallest(_chance_of_notice(rows, passed, noise, alpha), passed / rows, power)


def _noise(differences: Differences) -> float:
    """Return how many clusters change by chance in each direction (the sum of their squares).

    What the one direction has more than the other is a change or noise. It counts as noise with
    the square of the p value: in full if they hardly differ, and not if the change is significant.
    (Chosen by simulation: `benchmarks/drops.py`.)
    """
    squares, changed = [0.0, 0.0], [0, 0]
    for (change, number), times in differences.items():
        if change:
            squares[change > 0] += (change / number) ** 2 * times
            changed[change > 0] += times
    return min(squares) + mcnemar(*changed) ** 2 * abs(squares[0] - squares[1]) / 2


def _chance_of_notice(
    rows: int, passed: int, noise: float, alpha: float
) -> Callable[[float], float]:
    """Return the function from a drop to the probability that it is significant.

    Args:
        rows: with one result on each side.
        passed: how many of them passed before.
        noise: share of the rows that breaks by chance, and that is fixed by chance.
        alpha: level of significance.
    """
    needed = list(_least_broken(rows - passed, passed, alpha))
    before = passed / rows
    ways = [math.comb(passed, count) for count in range(passed, -1, -1)]

    def chance(drop: float) -> float:
        broken = min(noise + drop, before)
        fixed = max(broken - drop, 0.0)
        share = min(fixed / (1 - before), 1.0) if passed < rows else 0.0
        breaks, stays = broken / before, 1 - broken / before
        # Element i: how likely it is that at least `passed - i` break.
        tails = list(accumulate(w * breaks ** (passed - i) * stays**i for i, w in enumerate(ways)))
        total = 0.0
        for count, least in enumerate(needed):
            weight = math.comb(rows - passed, count) * share**count
            weight *= (1 - share) ** (rows - passed - count)
            if weight > NEGLIGIBLE:
                total += weight * tails[passed - least]
        return total

    return chance


def _least_broken(failed: int, passed: int, alpha: float) -> Iterator[int]:
    """Yield how many broken rows are significant beside 0, 1, ... fixed ones, as long as there are
    so many rows."""
    least = 1
    for fixed in range(failed + 1):
        while least <= passed and mcnemar(least, fixed) > alpha:
            least += 1
        if least > passed:
            return
        yield least


def _smallest(chance: Callable[[float], float], most: float, power: float) -> float | None:
    """Return the smallest drop up to `most` that has a chance of `power`, by bisection; None if
    there is none."""
    if chance(most) < power:
        return None
    low, high = 0.0, most
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) >= power else (middle, high)
    return high
