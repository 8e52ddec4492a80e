"""The incomplete beta function, and the quantiles of the beta, Student's t and normal
distributions."""

from __future__ import annotations

import math
from functools import lru_cache


@lru_cache(maxsize=4096)  # With pytest, many items have the same few counts.
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return x with I_x(a, b) = `probability`: by Newton's steps, and by bisection, which is slow
    but always converges, where these leave the interval or are many."""
    low, high, x = 0.0, 1.0, a / (a + b)
    for number in range(72):
        excess = incomplete_beta(x, a, b) - probability
        low, high = (x, high) if excess < 0 else (low, x)
        slope = math.exp(_log_power(x, a, b)) if 0 < x < 1 else 0.0
        nearer = x - excess * x * (1 - x) / slope if slope else x
        if slope and abs(nearer - x) <= 1e-13 * x:
            return nearer
        x = nearer if low < nearer < high and number < 12 else (low + high) / 2
    return x


def exact_bounds(passed: int, total: int, tail: float) -> tuple[float, float]:
    """Return Clopper and Pearson's bounds of a rate, each with the error probability `tail`."""
    low = 0.0 if passed == 0 else beta_quantile(tail, passed, total - passed + 1)
    high = 1.0 if passed == total else beta_quantile(1 - tail, passed + 1, total - passed)
    return low, high


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t distribution, from a quantile of the beta (DLMF 8.17).

    Args:
        probability: above 0.5, below 1.
        freedom: degrees of freedom, above 0.
    """
    # With x = freedom/(freedom + t²), 2 P(T > t) = I_x(freedom/2, 1/2). Many degrees of freedom
    # make x close to 1, so that y = 1 - x is more exact.
    if freedom < 10:
        x = beta_quantile(2 * (1 - probability), freedom / 2, 0.5)
        return math.sqrt(freedom * (1 - x) / x)
    y = beta_quantile(2 * probability - 1, 0.5, freedom / 2)
    return math.sqrt(freedom * y / (1 - y))


def normal_quantile(probability: float) -> float:
    """Return a quantile of the normal distribution."""
    from statistics import NormalDist  # Late, because it imports fractions and decimal.

    return NormalDist().inv_cdf(probability)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) (DLMF 8.17)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    factor = math.exp(_log_power(x, a, b))
    # The continued fraction converges fast on this side of the mean (DLMF 8.17.22) ...
    if x < (a + 1) / (a + b + 2):
        return factor * _continued_fraction(x, a, b) / a
    # ... and on the other side that of the mirrored function does (DLMF 8.17.4).
    return 1 - factor * _continued_fraction(1 - x, b, a) / b


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    a, b = min(a, b), max(a, b)
    if b < 10:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    growth = (b - 0.5) * math.log1p(a / b) + a * math.log(a + b) - a
    return math.lgamma(a) - growth - _stirling_rest(a + b) + _stirling_rest(b)


def _log_power(x: float, a: float, b: float) -> float:
    """Return the logarithm of x^a (1-x)^b / B(a, b), computed from the distance to the mean,
    because the difference of three large logarithms loses digits (C. Loader, Fast and accurate
    computation of binomial probabilities, 2000)."""
    if min(a, b) < 10:
        return a * math.log(x) + b * math.log1p(-x) - log_beta(a, b)
    total = a + b
    shift = x * b - (1 - x) * a
    distance = a * math.log1p(shift / a) + b * math.log1p(-shift / b)
    rest = _stirling_rest(total) - _stirling_rest(a) - _stirling_rest(b)
    return distance + rest + math.log(a * b / (2 * math.pi * total)) / 2


def _stirling_rest(z: float) -> float:
    """Return the error of Stirling's formula for the logarithm of gamma (DLMF 5.11.1)."""
    q = 1 / (z * z)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - q / 1188) * q) * q) * q) / z


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the fraction of DLMF 8.17.22 by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result
