"""Whether comparisons keep their promises, and what they cost.

    python benchmarks/comparing.py [errors|coverage|pairs] [N]

`errors`: how often `lve compare` calls a test different where nothing has changed, and how often it
finds a drop, beside the test that takes both runs for different instances (Fisher's exact). By
simulation; needs scipy.
`coverage`: how often Tango's interval for clusters covers the true difference, beside Student's
over the clusters and Tango's as if all pairs were independent. By simulation.
`pairs`: time and memory of comparing two sessions of N results (a million).
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lve.comparison.compare import compare
from lve.comparison.session_side import SessionSide
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.result_json import result_line
from lve.sessions.session_folder import RESULTS_FILE, SessionFolder
from lve.verdicts.rates.clusters import Means, mean_interval
from lve.verdicts.rates.difference import PairCounts, difference_interval
from lve.verdicts.rates.paired import paired_test

SAMPLES = 2000
ALPHA = 0.05
Clusters = list[tuple[int, int, int]]
"""Pairs, passed before, passed now."""


def sample(
    source: random.Random,
    instances: int,
    repeats: int,
    drop: float,
    spread: float,
    *,
    is_other: bool = False,
) -> Clusters:
    """Return the pairs of instances whose rates are drawn around 0.7, and are lower by `drop` now.

    Args:
        source: of chance.
        instances: how many.
        repeats: of each, in each run.
        drop: of the rate.
        spread: how much instances differ: 0 for not at all, 1 for all or nothing.
        is_other: whether each instance has another rate now, of the same mean but for `drop`: what
            a new prompt does that suits some instances better and others worse.
    """
    found = []
    for _ in range(instances):
        rate = 0.7 if spread == 0 else source.betavariate(0.7 / spread, 0.3 / spread)
        later = source.betavariate(0.7 / spread, 0.3 / spread) if is_other else rate
        lower = max(0.0, rate - drop) if spread == 0 else later * (1 - drop / 0.7)
        before = sum(source.random() < rate for _ in range(repeats))
        now = sum(source.random() < lower for _ in range(repeats))
        found.append((repeats, before, now))
    return found


def paired(clusters: Clusters) -> bool:
    """Whether lve calls the rates different."""
    return paired_test(Counter((now - old, pairs) for pairs, old, now in clusters)).p <= ALPHA


def unpaired(clusters: Clusters) -> bool:
    """Whether Fisher's test does, which takes all results for independent."""
    from scipy.stats import fisher_exact

    total = sum(pairs for pairs, _, _ in clusters)
    old, new = (sum(cluster[i] for cluster in clusters) for i in (1, 2))
    return bool(fisher_exact([[old, total - old], [new, total - new]])[1] <= ALPHA)


def errors() -> None:
    """Print how often a difference is found, where there is none and where there is one."""
    print("instances, repeats, spread, drop: lve's, Fisher's")
    for instances, repeats in ((20, 1), (100, 1), (20, 5), (100, 5)):
        for spread, is_other in ((0.0, False), (1.0, False), (10.0, False), (1.0, True)):
            for drop in (0.0, 0.1):
                source = random.Random(1)
                drawn = [
                    sample(source, instances, repeats, drop, spread, is_other=is_other)
                    for _ in range(SAMPLES)
                ]
                ours, theirs = (
                    sum(test(one) for one in drawn) / SAMPLES for test in (paired, unpaired)
                )
                kind = "others" if is_other else f"{spread:g}"
                place = f"{instances}, {repeats}, {kind}, {drop:g}"
                print(f"{place:>20}: {ours:.3f}, {theirs:.3f}", flush=True)


def coverage() -> None:
    """Print the least and mean coverage over drops and spreads."""
    print("instances, repeats: least, mean (mean width): lve's | Student's | all independent")
    for instances, repeats in ((10, 1), (10, 5), (50, 1), (50, 5), (200, 5)):
        cells: list[list[tuple[float, float]]] = [[], [], []]
        for spread in (0.0, 1.0, 10.0):
            for drop in (0.0, 0.05, 0.2):
                source = random.Random(2)
                drawn = [sample(source, instances, repeats, drop, spread) for _ in range(SAMPLES)]
                for cell, interval in zip(cells, INTERVALS, strict=True):
                    cell.append(_coverage(drawn, -drop, interval))
        line = " | ".join(
            f"{min(hit for hit, _ in cell):.3f}, {sum(hit for hit, _ in cell) / len(cell):.3f} "
            f"({sum(width for _, width in cell) / len(cell):.2f})"
            for cell in cells
        )
        print(f"{instances:3d}, {repeats}: {line}", flush=True)


Interval = Callable[[Clusters], tuple[float, float]]


def _coverage(drawn: Sequence[Clusters], true: float, interval: Interval) -> tuple[float, float]:
    found = [interval(one) for one in drawn]
    hits = sum(low <= true <= high for low, high in found)
    return hits / len(found), sum(high - low for low, high in found) / len(found)


def _ours(clusters: Clusters) -> tuple[float, float]:
    differences = Counter((now - old, pairs) for pairs, old, now in clusters)
    found = difference_interval(differences, paired_test(differences).p)
    assert found is not None
    return found.low, found.high


def _students(clusters: Clusters) -> tuple[float, float]:
    values = [((now - old) / pairs, 1) for pairs, old, now in clusters]
    found = mean_interval(Means.of(values))
    assert found is not None
    return found.low, found.high


def _independent(clusters: Clusters) -> tuple[float, float]:
    pairs, fixed, broken = _counts(clusters)
    apart = {(1, 1): fixed, (-1, 1): broken, (0, 1): pairs - fixed - broken}
    found = difference_interval(apart, paired_test(apart).p)
    assert found is not None
    return found.low, found.high


INTERVALS: tuple[Interval, ...] = (_ours, _students, _independent)


def _counts(clusters: Clusters) -> PairCounts:
    """Return the flips, with repeats paired at random, as they are: those beyond the net change
    cancel out on average."""
    pairs = sum(one[0] for one in clusters)
    fixed = broken = 0
    source = random.Random(3)
    for number, old, new in clusters:
        before = [True] * old + [False] * (number - old)
        now = [True] * new + [False] * (number - new)
        source.shuffle(now)
        fixed += sum(not one and other for one, other in zip(before, now, strict=True))
        broken += sum(one and not other for one, other in zip(before, now, strict=True))
    return PairCounts(pairs, fixed, broken)


def pairs(count: int) -> None:
    """Write two sessions and compare them in a process of their own."""
    with tempfile.TemporaryDirectory() as place:
        for rate in (0.8, 0.79):
            folder = SessionFolder.create(Path(place), {"options": {}, "models": ["openai/m"]})
            folder.open_journal().close()
            with (folder.path / RESULTS_FILE).open("w", encoding="ascii") as file:
                file.writelines(f"{result_line(one)}\n" for one in _results(count, rate))
            folder.end("complete")
            time.sleep(0.002)  # another id
        command = [sys.executable, __file__, "measured", place]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def _results(count: int, rate: float) -> Iterator[InstanceResult]:
    source = random.Random(rate)
    for number in range(count):
        yield InstanceResult(
            test=f"tests/{number % 100}",
            model="openai/m",
            source="instances/main.jsonl",
            line=number // 100 + 1,
            repeat=0,
            args={"question": f"What is {number} plus {number}?", "number": number},
            verdict="passed" if source.random() < rate else "failed",
            reason="found '42' at character 17",
            responses=(f"I think that it is {2 * number}, or nearly so. " * 5,),
        )


def measured(place: str) -> None:
    """Compare the sessions and print what it took."""
    import gc

    from lve.__main__ import GC_THRESHOLD

    gc.set_threshold(GC_THRESHOLD)  # as `lve` does
    wall, cpu = time.perf_counter(), time.process_time()
    names = ("last~1", "last")
    sides = [SessionSide(SessionFolder.find(Path(place), name), warn=print) for name in names]
    found = compare(sides[0], sides[1])
    said = {
        "pairs": sum(one.difference.counts.pairs for one in found.tests if one.difference),
        "wall_s": round(time.perf_counter() - wall, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    chosen = sys.argv[1:2] or ["errors"]
    if chosen == ["pairs"]:
        pairs(int((sys.argv[2:] or ["1000000"])[0]))
    elif chosen == ["measured"]:
        measured(sys.argv[2])
    else:
        {"errors": errors, "coverage": coverage}[chosen[0]]()
