"""Whether pass rates keep their promises, and what deciding early saves. By simulation.

    python benchmarks/rates.py [decisions|bounds [INSTANCES ...]]

`decisions`: runs of tests against models with true rates from 0 to 1 (100,000 each), looked at as
lve does. How often is the verdict wrong, how many calls does it take, and how many would a fixed
number of them need that passes a good model as often?
`bounds`: how often a 95 % bound for rows like these is on the wrong side of the true rate, for
instances that are more or less alike, of which some always fail, with equal and unequal numbers of
results; and how wide the intervals are: lve's, Korn and Graubard's, Student's, Gaffke's, and the
exact one that takes all results for independent.

Needs numpy. The figures are in benchmarks/statistics.md.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from lve.spec.spec import Expectation
from lve.verdicts.expectations.interim import next_interim_analysis
from lve.verdicts.rates.beta import beta_quantile, incomplete_beta, normal_quantile, t_quantile
from lve.verdicts.rates.clusters import population_rate
from lve.verdicts.rates.statistics import judge_rate, pass_rate

RUNS = 100_000
DESIGNS = ((0.5, 0.6), (0.5, 0.65), (0.8, 0.9), (0.9, 0.97), (0.95, 0.99))
"""A threshold, and the rate of a model that is to pass in 19 of 20 runs."""
RATES = tuple(step / 20 for step in range(21))
UNEQUAL = {0.5: (1.0, 0.0), 0.8: (1.0, 1.0, 1.0, 1.0, 0.0), 0.9: (1.0, 1.0, 1.0, 0.6)}
"""For a threshold: instances whose mean rate is just that."""
SIZES = (5, 10, 20, 30, 50, 100, 200)
SAMPLES = 400
"""Half as many from 100 instances on, because each takes longer."""
GAFFKE_DRAWS = 500
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
Integers = np.ndarray[tuple[int], np.dtype[np.int64]]


class Outcome(NamedTuple):
    """What became of the runs of a test."""

    passed: float
    failed: float
    calls: float


def simulate(expect: Expectation, chances: Sequence[float], source: np.random.Generator) -> Outcome:
    """Run a test with one instance per chance many times. Runs with equal counts go together."""
    alive, passed, failed, calls = {(0, 0): RUNS}, 0, 0, 0
    while alive:
        done, good = min(alive)
        runs = alive.pop((done, good))
        total = done * len(chances)
        until = next_interim_analysis(
            expect, good, total, repeats_done=done, max_repeats=expect.max_repeats
        )
        if until is None:
            decision = judge_rate(expect, good, total, sequential=True)
            passed += runs * (decision == "passed")
            failed += runs * (decision == "failed")
            calls += runs * total
            continue
        more = sum(source.binomial(until - done, chance, size=runs) for chance in chances)
        for new, times in zip(*np.unique(more, return_counts=True), strict=True):
            state = until, good + int(new)
            alive[state] = alive.get(state, 0) + int(times)
    return Outcome(passed / RUNS, failed / RUNS, calls / RUNS)


@cache
def _look(expect: Expectation, good: int, total: int, done: int) -> int | None:
    return next_interim_analysis(
        expect, good, total, repeats_done=done, max_repeats=expect.max_repeats
    )


def fixed_calls(threshold: float, rate: float, power: float, alpha: float) -> int:
    """Return how many calls, decided in advance, pass a model with a rate so often."""
    calls, least = 1, 1
    while True:
        while least <= calls and _tail(least, calls, threshold) > alpha:
            least += 1
        if least <= calls and _tail(least, calls, rate) >= power:
            return calls
        calls += 1


def _tail(least: int, calls: int, rate: float) -> float:
    """Return the chance of so many passes or more."""
    return incomplete_beta(rate, least, calls - least + 1) if least else 1.0


def decisions() -> None:
    """Print a line per design, and one per design with unequal instances."""
    source = np.random.default_rng(15)
    print("threshold, good model: max_repeats | wrong pass, wrong fail (worst) | good passes |")
    print("  calls: fixed, good, perfect, mean over rates 0 to 1 (share of fixed)")
    for threshold, good in DESIGNS:
        most = 2 * fixed_calls(threshold, good, 0.95, 0.05)
        expect = Expectation("rate", ">=", threshold, max_repeats=most)
        below = [rate for rate in RATES if rate < threshold]
        above = [rate for rate in RATES if rate >= threshold]
        edge = threshold - 1e-9
        at = {rate: simulate(expect, [rate], source) for rate in (*below, edge, *above)}
        well, mean = simulate(expect, [good], source), sum(at[rate].calls for rate in RATES) / 21
        fixed = fixed_calls(threshold, good, well.passed, 0.05)
        print(
            f">={threshold} {good}: {expect.max_repeats} | "
            f"{max(at[rate].passed for rate in (*below, edge)):.4f} "
            f"{max(at[rate].failed for rate in above):.4f} | {well.passed:.3f} | {fixed}, "
            f"{well.calls:.0f} ({well.calls / fixed:.2f}), {at[1.0].calls:.0f}, "
            f"{mean:.0f} ({mean / fixed:.2f})",
            flush=True,
        )
    for threshold, chances in UNEQUAL.items():
        found = simulate(Expectation("rate", ">=", threshold), chances, source)
        print(f">={threshold}, instances {chances}: passed {found.passed} failed {found.failed}")


class Population(NamedTuple):
    """Instances to draw from."""

    rate: float
    """The mean probability of passing."""
    alike: float
    """Intra-class correlation of an instance's results."""
    failing: float = 0.0
    """Share of instances that always fail. The others pass with probability `rate`."""

    def chances(self, source: np.random.Generator, instances: int) -> Floats:
        """Draw the probability of passing of each instance."""
        if self.failing:
            return np.where(source.random(instances) < self.failing, 0.0, self.rate)
        if self.alike == 0:
            return np.full(instances, self.rate)
        if self.alike == 1:
            return (source.random(instances) < self.rate).astype(float)
        size = (1 - self.alike) / self.alike
        return source.beta(self.rate * size, (1 - self.rate) * size, instances)

    @property
    def true_rate(self) -> float:
        """The mean over all instances."""
        return self.rate * (1 - self.failing)


POPULATIONS = (
    *(Population(rate, alike) for rate in (0.5, 0.9, 0.97) for alike in (0.0, 0.1, 0.5, 1.0)),
    *(Population(0.98, 0.0, failing) for failing in (0.05, 0.1)),
)
REPEATS: tuple[tuple[int, ...], ...] = ((1,), (2,), (10,), (50,), (1, 2, 5, 20))
"""Numbers of results of the instances, in turn."""


def bounds(sizes: Sequence[int] = SIZES) -> None:
    """Print, by number of instances, the largest share of wrong bounds and the mean width."""
    source = np.random.default_rng(33)
    print("instances: wrong bounds at most (mean width) of each")
    for instances in sizes:
        cells = [
            _errors(source, instances, population, repeats)
            for population in POPULATIONS
            for repeats in REPEATS
        ]
        texts = (
            f"{name} {max(cell[name][0] for cell in cells):.3f} "
            f"({sum(cell[name][1] for cell in cells) / len(cells):.2f})"
            for name in cells[0]
        )
        print(f"{instances:4d}: {', '.join(texts)}", flush=True)


def _errors(
    source: np.random.Generator, instances: int, population: Population, repeats: Sequence[int]
) -> dict[str, tuple[float, float]]:
    """Return, for each method, the larger share of bounds that are too high or too low, and the
    mean distance of the two."""
    low: Counter[str] = Counter()
    high: Counter[str] = Counter()
    width: defaultdict[str, float] = defaultdict(float)
    totals, rate = np.resize(repeats, instances), population.true_rate
    samples = SAMPLES if instances < 100 else SAMPLES // 2
    for _ in range(samples):
        passed = source.binomial(totals, population.chances(source, instances))
        for name, (lower, upper) in _all_bounds(source, passed, totals).items():
            low[name] += lower > rate + 1e-9
            high[name] += upper < rate - 1e-9
            width[name] += min(upper, 1.0) - max(lower, 0.0)
    return {name: (max(low[name], high[name]) / samples, width[name] / samples) for name in width}


def _all_bounds(
    source: np.random.Generator, passed: Integers, totals: Integers
) -> dict[str, tuple[float, float]]:
    shares = passed / totals
    counts = Counter(zip(passed.tolist(), totals.tolist(), strict=True))
    ours = population_rate(counts, has_bounds=True)
    assert ours is not None
    half = t_quantile(0.95, len(shares) - 1) * shares.std(ddof=1) / len(shares) ** 0.5
    apart = pass_rate(int(passed.sum()), int(totals.sum()), confidence=0.9)
    return {
        "lve": (ours.low, ours.high),
        "Korn-Graubard": _korn_graubard(shares, int(totals.sum())),
        "Student": (shares.mean() - half, shares.mean() + half),
        "Gaffke": (1 - _gaffke(source, 1 - shares), _gaffke(source, shares)),
        "independent": (apart.low, apart.high),
    }


def _korn_graubard(shares: Floats, results: int) -> tuple[float, float]:
    """Return Korn and Graubard's bounds (Survey Methodology 24, 1998): exact ones for an effective
    number of results."""
    mean, variance, clusters = shares.mean(), shares.var(ddof=1) / len(shares), len(shares)
    number = float(clusters)
    if variance > 0:
        ratio = normal_quantile(0.95) / t_quantile(0.95, clusters - 1)
        number = max(min(mean * (1 - mean) / variance, results) * ratio**2, 1.0)
    passed, failed = mean * number, (1 - mean) * number
    low = beta_quantile(0.05, passed, failed + 1) if passed > 0 else 0.0
    high = beta_quantile(0.95, passed + 1, failed) if failed > 0 else 1.0
    return low, high


def _gaffke(source: np.random.Generator, shares: Floats) -> float:
    """Return the upper bound of Gaffke (2005) and of Learned-Miller and Thomas (arXiv 1905.06208),
    which holds in all simulations, but has no proof."""
    spaces = source.exponential(size=(GAFFKE_DRAWS, len(shares) + 1))
    spaces /= spaces.sum(axis=1, keepdims=True)
    means = spaces @ np.append(np.sort(shares), 1.0)
    return float(np.quantile(means, 0.95))


PARTS: Mapping[str, Callable[[], None]] = {"decisions": decisions, "bounds": bounds}

if __name__ == "__main__":
    sizes = [int(part) for part in sys.argv[1:] if part.isdigit()]
    for part in [part for part in sys.argv[1:] if not part.isdigit()] or PARTS:
        bounds(sizes) if part == "bounds" and sizes else PARTS[part]()
