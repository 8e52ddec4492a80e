"""What `lve run` costs with a team's store in PostgreSQL: fresh, and again from the store.

    python benchmarks/shared_store.py [--n 20000] [--repeat 3] [--connections 64]

The server of `tests/extensions/store/postgres.py` runs on the same machine, with its defaults (it
waits for the disk at each commit). `file` is the same without a store, from `.lve/cache.db`.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from extensions.store.postgres import running_server as running_postgres
from process import Cost, measure, medians
from run import workplace
from server import RunningServer, running_server


def costs_of(n: int, connections: int, server: RunningServer, store: str) -> tuple[Cost, Cost]:
    """Return what a run costs, and what it costs on another machine, from the store.

    Args:
        n: instances.
        connections: to the model server.
        server: the model server.
        store: the URL, or nothing for a file.
    """
    lve = str(Path(sys.executable).with_name("lve"))
    measured = partial(measure, OPENAI_API_KEY="none", OPENAI_BASE_URL=server.url, LVE_STORE=store)
    with workplace(n) as one:
        command = [lve, "run", str(one), "-q", "-j", str(connections)]
        fresh = measured(command)
        server.reset()
        again = measured(command)
        assert server.stats()["requests"] == 0, "an answer was paid for twice"
    return fresh, again


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    given = parser.parse_args()
    found: dict[str, list[Cost]] = {}
    with running_server() as server:
        for _ in range(given.repeat):
            with running_postgres() as postgres:
                for name, store in (("file", ""), ("PostgreSQL", postgres.url)):
                    costs = costs_of(given.n, given.connections, server, store)
                    for state, cost in zip(("fresh", "again"), costs, strict=True):
                        found.setdefault(f"{name}, {state}", []).append(cost)
    print("| | wall s | instances/s | CPU ms/instance | peak RSS MB |\n|---|---|---|---|---|")
    for name, all_costs in found.items():
        cost = medians(all_costs)
        print(
            f"| {name} | {cost.wall_s:.2f} | {given.n / cost.wall_s:,.0f} "
            f"| {cost.cpu_s / given.n * 1000:.3f} | {cost.rss_mb:.0f} |"
        )


if __name__ == "__main__":
    main()
