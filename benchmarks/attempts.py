"""What a failed attempt costs: CPU of `lve run` with one and with four failures per row.

    python benchmarks/attempts.py [--rows 500] [--repeat 3]

A neighbour makes CPU times longer, so runs are taken in turn, and the least of each counts. What
stays in memory of failed attempts: tests/execution/test_failed_attempts.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from instructions import run_of
from process import measure
from run import write_tests
from server import running_server

KINDS = ("500", "429", "reset")
FEW, MANY = 1, 4


def cpu_s(kind: str, failures: int, rows: int) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory in MB of a run whose rows fail so often first."""
    with (
        running_server(fail_rate=1.0, fail_attempts=failures, fail_kinds=kind) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        command = [sys.executable, "-m", "lve", *run_of(write_tests(Path(folder), rows))]
        keys = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
        cost = measure(command, cwd=Path(folder), **keys)
        assert server.stats()["requests"] == rows * (failures + 1)
        return cost.cpu_s, cost.rss_mb


def main() -> None:
    """Measure and print a line per kind of failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for kind in KINDS:
        turns = [
            [cpu_s(kind, failures, options.rows) for failures in (FEW, MANY)]
            for _ in range(options.repeat)
        ]
        (few, few_mb), (many, many_mb) = (min(each) for each in zip(*turns, strict=True))
        each_ms = 1000 * (many - few) / (options.rows * (MANY - FEW))
        peaks = f"{few_mb:.0f} and {many_mb:.0f} MB"
        print(f"{kind}: {each_ms:.3f} ms of CPU, peaks {peaks}", flush=True)


if __name__ == "__main__":
    main()
