"""Holds what starts and rows cost: fails where one costs 2 % more than benchmarks/README.md says.

    python benchmarks/held.py            # compare (`make held`; three minutes; needs valgrind)
    python benchmarks/held.py --write    # write the table anew

Costs are instructions, counted by valgrind, as multiples of `python -c "import click"` in the same
run: neither neighbours nor, mostly, the build of Python change them. Who makes something slower on
purpose writes the table anew and says why below it; who makes it faster, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from held_table import dearer, held, written
from instructions import STARTS, at_start, cached, counted, fresh, per_item
from server import RunningServer, running_server

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("README.md")


def import_click(tree: Path, place: Path, _: int, server: RunningServer) -> int:
    """The unit of all costs."""
    return counted(tree, place, [], program=("-c", "import click"))


def measured(server: RunningServer) -> Iterator[tuple[str, float]]:
    """Yield the name and the cost of each start and of a row."""
    unit = at_start(import_click, ROOT, server)
    for start in STARTS:
        name = start.__name__.removeprefix("start_of_")
        yield f"start of {name}", at_start(start, ROOT, server) / unit
    yield "fresh row, thousandths", 1000 * per_item(fresh, ROOT, server) / unit
    yield "cached row, thousandths", 1000 * per_item(cached, ROOT, server) / unit


def main() -> None:
    """Measure, print, and compare or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    costs: dict[str, float] = {}
    with running_server() as server:
        for name, cost in measured(server):
            costs[name] = cost
            print(f"{name}: {cost:.4g}", flush=True)
    page = PAGE.read_text(encoding="utf-8")
    if options.write:
        PAGE.write_text(written(page, costs), encoding="utf-8")
    elif problems := dearer(costs, held(page)):
        why = "Make it cheaper, or write the table in benchmarks/README.md anew and say why below."
        sys.exit("\n".join([*problems, why]))


if __name__ == "__main__":
    main()
