"""P values of paired tests: do two runs of the same instances differ?

Instances with one result each are compared by McNemar's exact test (Psychometrika 12, 1947), which
is the sign test of the pairs that differ. Clusters of pairs, such as the repeats of an instance or
the rows of a test, are compared by a permutation test: if nothing has changed, the difference of a
cluster is as likely as its opposite, so the sum of all differences is compared with the sums for
all other choices of signs (Fisher, The Design of Experiments, 1935, ch. 21). This is exact for any
distribution of differences. If there are too many sums, 20,000 are drawn.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.beta import incomplete_beta

Differences = Mapping[tuple[int, int], int]
"""(passed now - passed before, pairs) -> number of such clusters. The difference of a cluster is
the quotient of the two."""
Method = Literal["mcnemar", "permutation", "monte carlo"]
DRAWS = 20_000
"""Number of sums to draw. The standard error of a p value of 0.05 is 0.0015 then."""
MAX_EXACT_WORK = 1 << 31
"""Bits that are shifted and added for an exact distribution: a tenth of a second."""
MAX_RANDOM_NUMBERS = 20_000_000
"""Random numbers for one p value."""
SEED = 20_261_122


class PValue(NamedTuple):
    """A two-sided p value, and the method that gave it."""

    p: float
    method: Method


def mcnemar(broken: int, fixed: int) -> float:
    """Return the two-sided p value of McNemar's exact test.

    Args:
        broken: pairs that passed before and fail now.
        fixed: pairs that failed before and pass now.
    """
    few, all_ = min(broken, fixed), broken + fixed
    if 2 * few >= all_ - 1:
        return 1.0
    return min(1.0, 2 * incomplete_beta(0.5, all_ - few, few + 1))


def paired_test(differences: Differences) -> PValue:
    """Return the p value for clusters with these differences: of McNemar's test if each cluster is
    one pair, else of the permutation test."""
    if all(pairs == 1 for _, pairs in differences):
        p = mcnemar(differences.get((-1, 1), 0), differences.get((1, 1), 0))
        return PValue(p, "mcnemar")
    return sign_flip_test(differences)


def sign_flip_test(differences: Differences, *, draws: int = DRAWS) -> PValue:
    """Return the p value of the permutation test that flips the signs of clusters.

    Args:
        differences: of the clusters.
        draws: number of sums to draw if there are too many to count all.
    """
    sizes, observed = _as_integers(differences)
    if observed == 0:
        return PValue(1.0, "permutation")
    largest, clusters = sum(size * times for size, times in sizes.items()), sizes.total()
    if (largest + 1) * (clusters + 1) * clusters <= MAX_EXACT_WORK:
        return PValue(_exact(sizes, largest, observed), "permutation")
    return PValue(_drawn(sizes, observed, draws), "monte carlo")


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted by Holm's method (Scand. J. Stat. 6, 1979), which keeps the
    family-wise error rate at the significance level."""
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def _as_integers(differences: Differences) -> tuple[Counter[int], int]:
    """Scale differences to integers; return the absolute values of those that aren't 0, and the sum
    of all."""
    unlike = {key: times for key, times in differences.items() if key[0] and times}
    scale = math.lcm(*(pairs for _, pairs in unlike))
    sizes: Counter[int] = Counter()
    observed = 0
    for (change, pairs), times in unlike.items():
        value = change * scale // pairs
        sizes[abs(value)] += times
        observed += value * times
    shared = math.gcd(*sizes)
    return Counter({size // shared: times for size, times in sizes.items()}), observed // (
        shared or 1
    )


def _exact(sizes: Counter[int], largest: int, observed: int) -> float:
    """Return the share of all choices of signs whose sum is at least as far from 0 as the observed
    one.

    The numbers of choices by the sum of their positive differences are the coefficients of a
    polynomial, which is stored as one large integer.
    """
    clusters = sizes.total()
    width = clusters // 8 + 1  # Bytes for a number up to 2^clusters.
    ways = 1
    for size, times in sizes.items():
        for _ in range(times):
            ways += ways << (8 * width * size)
    # A sum is 2 * positive part - largest; by symmetry the lower tail is enough.
    most = (largest - abs(observed)) // 2
    tail = ways & ((1 << (8 * width * (most + 1))) - 1)
    held = tail.to_bytes(width * (most + 1), "little")
    count = sum(
        int.from_bytes(held[at : at + width], "little") for at in range(0, len(held), width)
    )
    return min(1.0, _ratio(2 * count, clusters))


def _ratio(count: int, clusters: int) -> float:
    """Return count / 2^clusters, even if both are too large for a float."""
    return math.ldexp(
        count >> max(0, count.bit_length() - 64), max(0, count.bit_length() - 64) - clusters
    )


def _drawn(sizes: Counter[int], observed: int, draws: int) -> float:
    """Return the share of sums with random signs that are at least as far from 0 as the observed
    one. The observed sum counts as drawn, so that the p value is valid (Phipson and Smyth, Stat.
    Appl. Genet. Mol. Biol. 9, 2010)."""
    source = random.Random(SEED)
    draws = max(999, min(draws, MAX_RANDOM_NUMBERS // max(1, len(sizes))))
    reached = sum(abs(total) >= abs(observed) for total in _sums(sizes, source, draws))
    return (reached + 1) / (draws + 1)


def _sums(sizes: Counter[int], source: random.Random, draws: int) -> Iterator[int]:
    times_of_size = [(size, times) for size, times in sizes.items()]
    for _ in range(draws):
        # The 1s among `times` random bits are the positive signs.
        yield sum(
            size * (2 * source.getrandbits(times).bit_count() - times)
            for size, times in times_of_size
        )
