"""Whether `lve run` of one checkout is slower than that of another, by the clock.

    python benchmarks/paired.py OLD NEW [--rounds 50:64:2000] [--turns 9]

Each turn runs both, one right after the other and each first in every second turn, against a fresh
server each. What is printed is the median of the turns' ratios, new to old, with the quartiles: so
a machine that others use, too, slows both alike. Each tree needs `.venv/bin/lve`; a round is as in
`run.py`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

from process import Cost
from run import ROUNDS, Round, measure_against, workplace
from server import running_server


def costs_of(lve: Path, this: Round) -> tuple[Cost, Cost]:
    """Return what a run costs, and what it costs again, from the cache."""
    with running_server(latency_s=this.latency_s) as server, workplace(this.n) as test:
        command = [str(lve), "run", str(test), "-q", "-j", str(this.connections)]
        return measure_against(server, command), measure_against(server, command)


def spread(ratios: Sequence[float]) -> str:
    """Return the median of some ratios with the quartiles."""
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.3f} ({low:.2f} to {high:.2f})"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs=2, type=Path)
    parser.add_argument("--rounds", nargs="+", default=ROUNDS)
    parser.add_argument("--turns", type=int, default=9)
    given = parser.parse_args()
    programs = [tree.resolve() / ".venv" / "bin" / "lve" for tree in given.trees]
    print("| round | | wall, new / old | CPU, new / old |\n|---|---|---|---|")
    for text in given.rounds:
        pairs = []
        for turn in range(given.turns):
            order = programs if turn % 2 else programs[::-1]
            found = {program: costs_of(program, Round.parse(text)) for program in order}
            pairs.append([found[program] for program in programs])
        for index, mode in enumerate(("lve run", "lve run, cached")):
            turns = [(old[index], new[index]) for old, new in pairs]
            wall = spread([new.wall_s / old.wall_s for old, new in turns])
            cpu = spread([new.cpu_s / old.cpu_s for old, new in turns])
            print(f"| {text} | {mode} | {wall} | {cpu} |", flush=True)


if __name__ == "__main__":
    main()
