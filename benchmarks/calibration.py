"""Whether what lve says about judges holds: kappa's interval and corrected rates. By simulation.

    python benchmarks/calibration.py [kappa|corrected|decided]

`kappa`: how often the interval covers the true kappa, with and without what lve adds to the table.
`corrected`: how often the interval of a corrected pass rate covers the true rate, Lang and
Reiczigel's (lve's) and the one that takes the judge's errors for exactly known.
`decided`: the same, where repeats ended as soon as the raw rate was decided.

Needs numpy. The figures are in benchmarks/statistics.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product

import numpy as np

from lve.extensions.calibration.confusion import Confusion, kappa, kappa_error, kappa_interval
from lve.spec.spec import Expectation
from lve.verdicts.expectations.interim import next_interim_analysis
from lve.verdicts.rates.beta import normal_quantile
from lve.verdicts.rates.corrected import JudgeErrors, corrected_rate, equivalent_fixed_sample
from lve.verdicts.rates.statistics import pass_rate

SAMPLES = 2000
JUDGES = ((0.98, 0.98), (0.9, 0.9), (0.95, 0.7), (0.7, 0.95), (0.75, 0.75))
"""TPR and TNR."""
RATES = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
Z = normal_quantile(0.975)


def kappa_intervals() -> None:
    """Print the least and the mean coverage over judges and shares of good answers."""
    source = np.random.default_rng(14)
    print("labels: least coverage, mean (mean width): lve's | Wald's")
    for labels in (20, 50, 100, 300):
        cells = [
            _kappa_coverage(source, labels, share, judge)
            for share, judge in product((0.5, 0.8, 0.95), JUDGES)
        ]
        ours, wald = ([cell[i] for cell in cells] for i in (0, 1))
        print(f"{labels:4d}: {_line(ours)} | {_line(wald)}", flush=True)


def _kappa_coverage(
    source: np.random.Generator, labels: int, share: float, judge: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    tpr, tnr = judge
    shares = (share * tpr, share * (1 - tpr), (1 - share) * (1 - tnr), (1 - share) * tnr)
    true = kappa(Confusion(*(round(cell * 10**9) for cell in shares)))
    assert true is not None
    ours, wald = [], []
    for drawn in source.multinomial(labels, shares, size=SAMPLES):
        table = Confusion(*map(int, drawn))
        found = kappa_interval(table)
        if found is None:  # nothing is claimed
            continue
        ours.append((found.low <= true <= found.high, found.high - found.low))
        half = Z * kappa_error(table)
        wald.append((abs(found.value - true) <= half, 2 * half))
    return _mean(ours), _mean(wald)


def corrected() -> None:
    """Print the least and the mean coverage over judges and true rates."""
    source = np.random.default_rng(14)
    print("labels of each kind, results: least coverage, mean (mean width): lve's | errors known")
    for labels, results in product((10, 20, 50, 100), (20, 100, 1000)):
        cells = [
            _corrected_coverage(source, labels, results, true, judge)
            for true, judge in product(RATES, JUDGES)
        ]
        ours, known = ([cell[i] for cell in cells] for i in (0, 1))
        print(f"{labels:3d} {results:4d}: {_line(ours)} | {_line(known)}", flush=True)


def _corrected_coverage(
    source: np.random.Generator,
    labels: int,
    results: int,
    true: float,
    judge: tuple[float, float],
) -> tuple[tuple[float, float], tuple[float, float]]:
    ours, known = [], []
    passed = source.binomial(results, _reported(true, judge), SAMPLES)
    for count, errors in zip(passed, _measured(source, labels, judge), strict=True):
        found = corrected_rate(count / results, results, errors)
        if found is None:
            continue
        ours.append((_covers(found.low, found.high, true), found.high - found.low))
        gain = errors.tpr + errors.tnr - 1
        raw = pass_rate(int(count), results)
        low, high = (min(max((one + errors.tnr - 1) / gain, 0), 1) for one in (raw.low, raw.high))
        known.append((_covers(low, high, true), high - low))
    return _mean(ours), _mean(known)


def decided() -> None:
    """Print the coverage where the number of results depends on what came out."""
    source = np.random.default_rng(14)
    print(
        "expected, judge: mean results; least coverage, mean (mean width): lve's | Lang-Reiczigel"
    )
    for threshold, judge in product((0.5, 0.9), JUDGES[:3]):
        expect = Expectation("rate", ">=", threshold, max_repeats=300)
        cells = [
            _decided_coverage(source, expect, true, judge) for true in (0.3, 0.6, 0.86, 0.9, 0.98)
        ]
        numbers, ours, fixed = zip(*cells, strict=True)
        mean = sum(numbers) / len(numbers)
        print(f">={threshold} {judge}: {mean:.0f}; {_line(ours)} | {_line(fixed)}", flush=True)


def _decided_coverage(
    source: np.random.Generator, expect: Expectation, true: float, judge: tuple[float, float]
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    chance, ours, fixed, runs = _reported(true, judge), [], [], 0
    for errors in _measured(source, 50, judge):
        passed, total = _until_decided(source, expect, chance)
        runs += total
        found = corrected_rate(passed / total, equivalent_fixed_sample(passed, total), errors)
        other = corrected_rate(passed / total, total, errors)
        if found is None or other is None:
            continue
        ours.append((_covers(found.low, found.high, true), found.high - found.low))
        fixed.append((_covers(other.low, other.high, true), other.high - other.low))
    return runs / SAMPLES, _mean(ours), _mean(fixed)


def _until_decided(
    source: np.random.Generator, expect: Expectation, chance: float
) -> tuple[int, int]:
    passed = done = 0
    most = expect.max_repeats
    while until := next_interim_analysis(expect, passed, done, repeats_done=done, max_repeats=most):
        passed += int(source.binomial(until - done, chance))
        done = until
    return passed, done


def _reported(true: float, judge: tuple[float, float]) -> float:
    return true * judge[0] + (1 - true) * (1 - judge[1])


def _measured(
    source: np.random.Generator, labels: int, judge: tuple[float, float]
) -> list[JudgeErrors]:
    """Return what labels may say about a judge."""
    shares = (source.binomial(labels, one, SAMPLES) / labels for one in judge)
    return [JudgeErrors(tpr, labels, tnr, labels) for tpr, tnr in zip(*shares, strict=True)]


def _covers(low: float, high: float, true: float) -> bool:
    return low - 1e-9 <= true <= high + 1e-9


def _mean(found: list[tuple[bool, float]]) -> tuple[float, float]:
    covered, width = np.array(found, dtype=float).mean(axis=0)
    return float(covered), float(width)


def _line(cells: Sequence[tuple[float, float]]) -> str:
    least = min(covered for covered, _ in cells)
    coverage, width = np.array(cells).mean(axis=0)
    return f"{least:.3f}, {coverage:.3f} ({width:.2f})"


PARTS = {"kappa": kappa_intervals, "corrected": corrected, "decided": decided}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
