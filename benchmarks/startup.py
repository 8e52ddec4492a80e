"""How long commands take to start, as ratios to `python -c 'import click'` in the same rounds.

    python benchmarks/startup.py [--rounds 15]

Every round runs each command once, in turn, so that a machine that slows down slows all of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BASE = "import click"
LIMITS = {"lve --help": 1.5, "lve check TEST": 3.2, "lve run TEST (dummy)": 4.6}


def write_test(folder: Path) -> Path:
    """Write one small test for the model `dummy/dummy` and return its document."""
    document = {
        "description": "says hello",
        "model": "dummy/dummy",
        "prompt": [{"role": "user", "content": "Say hello."}],
        "checker_args": {"checker_name": "RegexChecker", "pattern": "Hello", "match_safe": True},
    }
    (folder / ".lverepo").touch()
    path = folder / "hello" / "test.json"
    path.parent.mkdir()
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def seconds(command: list[str]) -> float:
    """Run a command and return its wall time."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        test = str(write_test(Path(folder)))
        lve = str(Path(sys.executable).with_name("lve"))
        commands = {
            BASE: [sys.executable, "-c", BASE],
            "lve --help": [lve, "--help"],
            "lve check TEST": [lve, "check", test],
            "lve run TEST (dummy)": [lve, "run", test],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds + 1):
            for name, command in commands.items():
                times[name].append(seconds(command))
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    print(f"{'command':24} {'ms':>7} {'ratio':>6} {'limit':>6}")
    for name, median in medians.items():
        limit = f"{LIMITS[name]:6.1f}" if name in LIMITS else ""
        print(f"{name:24} {median * 1000:7.1f} {median / medians[BASE]:6.2f} {limit}")


if __name__ == "__main__":
    main()
