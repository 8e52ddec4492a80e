"""Whether the drop that a comparison says it would notice is noticed 4 times in 5. By simulation.

    python benchmarks/drops.py

Of 5 to 100 rows 4 of 5 passed before, and 0 to 30 % flip by chance. Prints, for each, the drop that
is stated and how often it is noticed if the noise is known; then how often it is noticed on average
if a comparison estimates the noise from its own flips: without a drop, and with one of 40 points.

Needs numpy. The figures are in benchmarks/statistics.md.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lve.verdicts.rates.detectable import min_detectable_drop
from lve.verdicts.rates.paired import mcnemar

SIZES = (5, 6, 8, 10, 15, 20, 30, 50, 100)
NOISE = (0.0, 0.05, 0.1, 0.2, 0.3)
PASSED = 0.8
SAMPLES = 300
ALPHA = 0.05
significance = cache(mcnemar)


@cache
def stated(rows: int, broken: int, fixed: int) -> float | None:
    """Return the drop that a comparison with such flips says it would notice."""
    differences = {(-1, 1): broken, (1, 1): fixed, (0, 1): rows - broken - fixed}
    return min_detectable_drop(differences, before=round(PASSED * rows) / rows, alpha=ALPHA)


def flips(source: np.random.Generator, rows: int, noise: float, drop: float) -> tuple[int, int]:
    """Draw how many rows break and are fixed, by chance and by the drop.

    Args:
        source: of chance.
        rows: how many.
        noise: share of the rows that flips by chance, half of it in each direction.
        drop: of the rate.
    """
    passed = round(PASSED * rows)
    broken = min(noise / 2 + drop, passed / rows)
    fixed = max(broken - drop, 0.0)
    worse = source.binomial(passed, min(broken * rows / passed, 1.0))
    better = source.binomial(rows - passed, min(fixed * rows / (rows - passed), 1.0))
    return int(worse), int(better)


def noticed(
    source: np.random.Generator, rows: int, noise: float, drop: float, samples: int
) -> float:
    """Return in which share of comparisons a drop is significant."""
    pairs = (flips(source, rows, noise, drop) for _ in range(samples))
    return sum(a > b and significance(a, b) <= ALPHA for a, b in pairs) / samples


def estimated(source: np.random.Generator, rows: int, noise: float, drop: float) -> str:
    """Return the mean chance of what comparisons state that had this drop themselves."""
    drops = [stated(rows, *flips(source, rows, noise, drop)) for _ in range(SAMPLES)]
    chances = [noticed(source, rows, noise, one, 60) for one in drops if one is not None]
    return f"{sum(chances) / len(chances):.2f}" if chances else "-"


def main() -> None:
    """Print a line per number of rows and noise."""
    source = np.random.default_rng(36)
    print("rows, noise: stated drop, noticed | noise estimated: without a drop | with one")
    for rows in SIZES:
        for noise in NOISE:
            each_way = round(rows * noise / 2)
            drop = stated(rows, each_way, each_way)
            text = "no drop"
            if drop is not None:
                share = noticed(source, rows, 2 * each_way / rows, drop, 40 * SAMPLES)
                text = f"{drop:.3f}, {share:.2f}"
            rest = " | ".join(estimated(source, rows, noise, true) for true in (0.0, 0.4))
            print(f"{rows:3d}, {noise:.2f}: {text} | {rest}", flush=True)


if __name__ == "__main__":
    main()
