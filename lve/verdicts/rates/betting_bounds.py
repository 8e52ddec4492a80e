"""Confidence bounds of the mean of shares, for any distribution of shares between 0 and 1.

A gambler who starts with 1 bets on every share at odds that are fair if the mean is `m`: a stake of
`s` turns a share `x` into a factor of 1 + s (x/m - 1). If the mean is at most `m`, the expected
wealth is at most 1, so it reaches 1/alpha with a probability of at most alpha (Ville 1939). The
lower bound is the largest `m` at which it does (Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86,
2024, pp. 1-27). The wealth is divided among stakes that are fixed beforehand (`STAKES`), so the
order of the shares doesn't matter, and no share that gets smaller makes a bound larger.

This assumes nothing about the shares but that they are independent, neither their variance nor
their number. benchmarks/rates.py compares it with other methods.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

STEPS = 5040
"""Shares are rounded to multiples of 1/5040, away from the bound, so that the time is limited for
any number of different shares. Exact for shares of 2 to 10, 12, 14, 15, 16, 18 and 20 results."""
_BISECTIONS = 26
_Shares = tuple[tuple[float, int], ...]


def _stakes() -> tuple[tuple[float, float], ...]:
    """Return pairs of a stake and its part of the wealth.

    Four fifths are spread as Beta(1, 0.3) does, with much near 1: large stakes win if (almost) all
    shares are high, which is what tests hope for. The rest is on small stakes, which win with many
    shares of any kind.
    """
    large = 16
    spread = [(1 - (1 - (i + 0.5) / large) ** (1 / 0.3), 0.8 / large) for i in range(large)]
    small = 6
    return (*spread, *((0.2 / 2**i, 0.2 / small) for i in range(small)))


STAKES = _stakes()


def mean_bounds(shares: Iterable[tuple[float, int]], alpha: float) -> tuple[float, float]:
    """Return the lower and the upper confidence bound of the mean.

    Args:
        shares: pairs of a share, from 0 to 1, and how often it occurs.
        alpha: probability that the mean is below the lower bound, at most; likewise above the upper
            one.
    """
    low: Counter[int] = Counter()
    high: Counter[int] = Counter()
    for share, times in shares:
        low[math.floor(share * STEPS + 1e-6)] += times
        high[math.floor((1 - share) * STEPS + 1e-6)] += times
    return _low_bound(_sorted(low), alpha), 1 - _low_bound(_sorted(high), alpha)


def _sorted(steps: Counter[int]) -> _Shares:
    return tuple((step / STEPS, times) for step, times in sorted(steps.items()))


@lru_cache(maxsize=1024)  # With pytest, many items have the same few counts.
def _low_bound(shares: _Shares, alpha: float) -> float:
    low, step = 0.0, 0.5  # the same steps for all shares, so that rounding raises no bound
    for _ in range(_BISECTIONS):
        if log_wealth(shares, low + step) >= -math.log(alpha):
            low += step
        step /= 2
    return low


def log_wealth(shares: Sequence[tuple[float, int]], mean: float) -> float:
    """Return the logarithm of the wealth after bets against "the mean is at most `mean`".

    Args:
        shares: pairs of a share, from 0 to 1, and how often it occurs.
        mean: above 0, up to 1.
    """
    gains = [(share / mean - 1, times) for share, times in shares]
    wealth = [
        math.log(part) + math.fsum(times * math.log1p(stake * gain) for gain, times in gains)
        for stake, part in STAKES
    ]
    largest = max(wealth)
    return largest + math.log(math.fsum(math.exp(part - largest) for part in wealth))
