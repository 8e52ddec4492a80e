"""Whether two runs of the same instances differ: p values of paired tests.

Instances with one result each: McNemar's exact test (Psychometrika 12, 1947), the sign test of the
pairs that differ. Clusters of pairs, such as the repeats of an instance or the rows of a test: if
nothing has changed, a cluster's difference is as likely as its opposite, so the sum of differences
is compared with all sums that other signs give (Fisher, The Design of Experiments, 1935, ch. 21).
That is exact whatever the differences are like. Where there are too many sums, 20,000 are drawn.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from lve.verdicts.rates.beta import incomplete_beta

Differences = Mapping[tuple[int, int], int]
"""(passed now - passed before, pairs) -> how many clusters have these. The difference of a cluster
is their quotient."""
Method = Literal["mcnemar", "permutation", "monte carlo"]
DRAWS = 20_000
"""A p value of 0.05 is known to 0.003 then."""
MOST_WORK = 1 << 31
"""Bits that are shifted and added for an exact distribution: a tenth of a second."""
MOST_DRAWN = 20_000_000
"""Random numbers for one p value."""
SEED = 20_261_122


class PValue(NamedTuple):
    """How often chance alone gives a difference as large as this one."""

    p: float
    """Two-sided."""
    method: Method


def mcnemar(broken: int, fixed: int) -> float:
    """Return the p value of McNemar's exact test.

    Args:
        broken: pairs that passed before and fail now.
        fixed: pairs that failed before and pass now.
    """
    few, all_ = min(broken, fixed), broken + fixed
    if 2 * few >= all_ - 1:
        return 1.0
    return min(1.0, 2 * incomplete_beta(0.5, all_ - few, few + 1))


def paired_test(differences: Differences) -> PValue:
    """Return the p value for clusters with these differences: McNemar's test for single pairs,
    otherwise the permutation test."""
    if all(pairs == 1 for _, pairs in differences):
        p = mcnemar(differences.get((-1, 1), 0), differences.get((1, 1), 0))
        return PValue(p, "mcnemar")
    return sign_flip_test(differences)


def sign_flip_test(differences: Differences, *, draws: int = DRAWS) -> PValue:
    """Return the p value of the permutation test that changes the signs of clusters.

    Args:
        differences: of the clusters.
        draws: sums to draw where not all can be counted.
    """
    sizes, observed = _as_integers(differences)
    if observed == 0:
        return PValue(1.0, "permutation")
    reach, clusters = sum(size * times for size, times in sizes.items()), sizes.total()
    if (reach + 1) * (clusters + 1) * clusters <= MOST_WORK:
        return PValue(_exact(sizes, reach, observed), "permutation")
    return PValue(_drawn(sizes, observed, draws), "monte carlo")


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted by Holm's method (Scand. J. Stat. 6, 1979): the chance of any false
    alarm among all of them is at most the level that they are compared with."""
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def _as_integers(differences: Differences) -> tuple[Counter[int], int]:
    """Return the sizes of the differences that aren't 0, scaled to whole numbers, and their sum."""
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


def _exact(sizes: Counter[int], reach: int, observed: int) -> float:
    """Return the share of all choices of signs whose sum is as far from 0 as the observed one.

    How many choices have which positive part is a polynomial; it is held in one large integer.
    """
    clusters = sizes.total()
    width = clusters // 8 + 1  # bytes for a number up to 2^clusters
    ways = 1
    for size, times in sizes.items():
        for _ in range(times):
            ways += ways << (8 * width * size)
    # The sum is 2 * positive part - reach; by symmetry the lower tail is enough.
    most = (reach - abs(observed)) // 2
    tail = ways & ((1 << (8 * width * (most + 1))) - 1)
    held = tail.to_bytes(width * (most + 1), "little")
    count = sum(
        int.from_bytes(held[at : at + width], "little") for at in range(0, len(held), width)
    )
    return min(1.0, _ratio(2 * count, clusters))


def _ratio(count: int, clusters: int) -> float:
    """Return count / 2^clusters, also where both are beyond a float."""
    return math.ldexp(
        count >> max(0, count.bit_length() - 64), max(0, count.bit_length() - 64) - clusters
    )


def _drawn(sizes: Counter[int], observed: int, draws: int) -> float:
    """Return the share of sums of random signs that are as far from 0. The observed one counts as
    drawn, so that it is a valid p value (Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9,
    2010)."""
    source = random.Random(SEED)
    draws = max(999, min(draws, MOST_DRAWN // max(1, len(sizes))))
    reached = sum(abs(total) >= abs(observed) for total in _sums(sizes, source, draws))
    return (reached + 1) / (draws + 1)


def _sums(sizes: Counter[int], source: random.Random, draws: int) -> Iterator[int]:
    known = [(size, times) for size, times in sizes.items()]
    for _ in range(draws):
        # Of `times` random signs, those that are positive are the ones in as many random bits.
        yield sum(
            size * (2 * source.getrandbits(times).bit_count() - times) for size, times in known
        )
