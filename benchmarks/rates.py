"""Whether pass rates keep their promises, and what deciding early saves. By simulation.

    python benchmarks/rates.py [decisions|intervals]

`decisions`: runs of tests against models with true rates from 0 to 1 (100,000 each), looked at as
lve does. How often is the verdict wrong, how many calls does it take, and how many would a fixed
number of them need that passes a good model as often?
`intervals`: how often intervals for instances like these cover the true rate, from few instances
that are more or less alike, and how wide they are: Korn and Graubard's (lve's), Student's, the
bootstrap's, and the exact one that takes all results for independent.

Needs numpy. The figures are in docs/statistics.md.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from lve.spec.model import Expectation
from lve.verdicts.interim import next_interim_analysis
from lve.verdicts.rates.beta import incomplete_beta, t_quantile
from lve.verdicts.rates.clusters import population_rate
from lve.verdicts.rates.statistics import judge_rate, pass_rate

RUNS = 100_000
DESIGNS = ((0.5, 0.6), (0.5, 0.65), (0.8, 0.9), (0.9, 0.97), (0.95, 0.99))
"""A threshold, and the rate of a model that is to pass in 19 of 20 runs."""
RATES = tuple(step / 20 for step in range(21))
UNEQUAL = {0.5: (1.0, 0.0), 0.8: (1.0, 1.0, 1.0, 1.0, 0.0), 0.9: (1.0, 1.0, 1.0, 0.6)}
"""For a threshold: instances whose mean rate is just that."""
SAMPLES = 1000


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


def intervals() -> None:
    """Print coverage and width of intervals: the worst and the mean over rates and repeats."""
    source = np.random.default_rng(15)
    print("instances, correlation: least coverage (mean width) of each")
    for instances in (3, 5, 10, 20, 50):
        for alike in (0.0, 0.1, 0.5, 1.0):
            cells = [
                _coverage(source, instances, alike, rate, repeats)
                for rate in (0.5, 0.9, 0.97)
                for repeats in (1, 10)
            ]
            names = cells[0]
            texts = (
                f"{name} {min(cell[name][0] for cell in cells):.3f} "
                f"({sum(cell[name][1] for cell in cells) / len(cells):.2f})"
                for name in names
            )
            print(f"{instances:4d} {alike:.1f}: {', '.join(texts)}", flush=True)


def _coverage(
    source: np.random.Generator, instances: int, alike: float, rate: float, repeats: int
) -> dict[str, tuple[float, float]]:
    covered: Counter[str] = Counter()
    width: defaultdict[str, float] = defaultdict(float)
    for _ in range(SAMPLES):
        passed = source.binomial(repeats, _chances(source, instances, alike, rate))
        for name, (low, high) in _all_intervals(source, passed, repeats).items():
            covered[name] += low - 1e-9 <= rate <= high + 1e-9
            width[name] += min(high, 1.0) - max(low, 0.0)
    return {name: (covered[name] / SAMPLES, width[name] / SAMPLES) for name in width}


def _chances(
    source: np.random.Generator, instances: int, alike: float, rate: float
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if alike == 0:
        return np.full(instances, rate)
    if alike == 1:
        return (source.random(instances) < rate).astype(float)
    size = (1 - alike) / alike
    return source.beta(rate * size, (1 - rate) * size, instances)


def _all_intervals(
    source: np.random.Generator, passed: np.ndarray[tuple[int], np.dtype[np.int64]], repeats: int
) -> dict[str, tuple[float, float]]:
    means = passed / repeats
    ours = population_rate(Counter((int(good), repeats) for good in passed))
    assert ours is not None
    half = t_quantile(0.975, len(means) - 1) * means.std(ddof=1) / len(means) ** 0.5
    drawn = means[source.integers(len(means), size=(100, len(means)))].mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    naive = pass_rate(int(passed.sum()), len(passed) * repeats)
    return {
        "Korn-Graubard": (ours.low, ours.high),
        "Student": (means.mean() - half, means.mean() + half),
        "bootstrap": (float(low), float(high)),
        "independent": (naive.low, naive.high),
    }


PARTS = {"decisions": decisions, "intervals": intervals}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
