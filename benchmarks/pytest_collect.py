"""What the pytest plugin costs: collecting, running, and being installed at all.

    python benchmarks/pytest_collect.py [--folders 10000] [--instances 2000] [--rounds 3]

* collecting N test folders (each with an instance file, a hundred with the same checker), against
  pytest collecting N trivial Python files;
* running 2,000 instances against a server that takes 50 ms (`--running`: only this), against
  `lve run` on the same work, as many empty tests, and with `-n 2`; `alone` is without the plugins
  that only our own tests need;
* a suite without test folders, with and without the plugin.

Everything is measured in the same round, one after the other; medians are printed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from process import Cost, measure, medians
from run import write_tests
from server import running_server

BIN = Path(sys.executable).parent
PYTEST = [str(BIN / "python"), "-m", "pytest", "-p", "no:cacheprovider"]
# Plugins that are here for our own tests; each makes every item dearer.
ALONE = [
    part
    for name in ("anyio", "hypothesispytest", "rerunfailures", "xdist", "xdist.looponfail")
    for part in ("-p", f"no:{name}")
]
COLLECT = [*PYTEST, "--collect-only", "-qq"]
CONNECTIONS = 64
LATENCY_S = 0.05


def write_folders(root: Path, count: int) -> Path:
    """Write test folders, a hundred to a folder, with a checker of its own per hundred."""
    root.mkdir()
    (root / ".lverepo").touch()
    for number in range(count):
        folder = root / "repository" / f"c{number // 100}" / f"t{number}"
        (folder / "instances").mkdir(parents=True)
        document = {
            "description": f"test {number}",
            "model": "openai/bench",
            "prompt": [{"role": "user", "content": "What is the capital of {country}?"}],
            "prompt_parameters": ["country"],
            "checker_args": {
                "checker_name": "RegexChecker",
                "pattern": f"Paris|{number // 100}",
                "match_safe": True,
            },
            "tags": [{"name": "severity", "value": "low"}],
        }
        (folder / "test.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
        line = {"args": {"country": "France"}, "response": "Paris", "passed": True, "run_info": {}}
        (folder / "instances" / "main.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return root


def write_python(root: Path, count: int) -> Path:
    """Write as many Python files, in folders of the same size."""
    for number in range(count):
        folder = root / f"c{number // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"test_{number}.py").write_text("def test_it(): pass\n", encoding="utf-8")
    return root


def collecting(place: Path, folders: int, *, mixed: bool) -> dict[str, Callable[[], Cost]]:
    """Return what to measure of collecting."""
    ours = write_folders(place / "folders", folders)
    python = write_python(place / "python", folders)
    measures: dict[str, Callable[[], Cost]] = {
        f"{folders} Python files (floor)": lambda: measure(COLLECT, cwd=python),
        f"{folders} test folders": lambda: measure([*COLLECT, "repository"], cwd=ours),
    }
    if mixed:
        # A Python test beside them: pytest makes a collector for each folder.
        measures[f"{folders} test folders, one Python test among them"] = lambda: _mixed(ours)
    return measures


def _mixed(root: Path) -> Cost:
    file = root / "repository" / "c0" / "t0" / "test_one.py"
    file.write_text("def test_it(): pass\n", encoding="utf-8")
    try:
        return measure([*COLLECT, "repository"], cwd=root)
    finally:
        file.unlink()


def running(place: Path, url: str, instances: int) -> dict[str, Callable[[], Cost]]:
    """Return what to measure of running."""
    (place / "sums").mkdir()
    test = write_tests(place / "sums", instances)
    keys = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url}
    lve = [str(BIN / "lve"), "run", str(test), "-q", "-j", str(CONNECTIONS), "--no-cache"]
    ours = [*PYTEST, "-q", str(test), f"--lve-max-connections={CONNECTIONS}", "--lve-no-cache"]
    empty = place / "test_empty.py"
    mark = f"import pytest\n@pytest.mark.parametrize('number', range({instances}))\n"
    empty.write_text(f"{mark}def test_it(number): pass\n", encoding="utf-8")
    empty_tests = [*PYTEST, "-q", str(empty), *ALONE]
    return {
        f"lve run, {instances} instances": lambda: measure(lve, cwd=place, **keys),
        f"pytest alone, {instances} empty tests": lambda: measure(empty_tests, cwd=place),
        f"pytest, {instances} instances": lambda: measure(ours, cwd=place, **keys),
        f"pytest alone, {instances} instances": lambda: measure([*ours, *ALONE], cwd=place, **keys),
        f"pytest -n 2, {instances} instances": lambda: measure(
            [*ours, "-n", "2"], cwd=place, **keys
        ),
    }


def being_installed(place: Path) -> dict[str, Callable[[], Cost]]:
    """Return what to measure of a suite that has no test folders."""
    root = write_python(place / "plain", 20)
    return {
        "20 Python tests, -p no:lve": lambda: measure([*PYTEST, "-q", "-p", "no:lve"], cwd=root),
        "20 Python tests": lambda: measure([*PYTEST, "-q"], cwd=root),
    }


def in_turn(measures: dict[str, Callable[[], Cost]], rounds: int) -> dict[str, Cost]:
    """Measure everything once per round, and return the medians; a first round is for warming."""
    costs: dict[str, list[Cost]] = {name: [] for name in measures}
    for _ in range(rounds + 1):
        for name, run in measures.items():
            costs[name].append(run())
    return {name: medians(each[1:]) for name, each in costs.items()}


def print_table(costs: dict[str, Cost]) -> None:
    """Print figures, with ratios to the first."""
    base = next(iter(costs.values()))
    print("\n| | wall s | CPU s | peak RSS MB | wall / first | CPU / first |")
    print("|---|---|---|---|---|---|")
    for name, cost in costs.items():
        print(
            f"| {name} | {cost.wall_s:.3f} | {cost.cpu_s:.3f} | {cost.rss_mb:.0f} "
            f"| {cost.wall_s / base.wall_s:.2f} | {cost.cpu_s / base.cpu_s:.2f} |"
        )


def import_ms() -> float:
    """Return how long importing the plugin takes, pytest being there, in milliseconds."""
    code = (
        "import pytest, time; t = time.perf_counter(); import lve.pytest_plugin;"
        "print((time.perf_counter() - t) * 1000)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(9)
    ]
    return statistics.median(times)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", type=int, default=10_000)
    parser.add_argument("--instances", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mixed", action="store_true", help="also a tree with a Python test")
    parser.add_argument("--running", action="store_true", help="only running")
    given = parser.parse_args()
    if not given.running:
        print(f"importing the plugin: {import_ms():.1f} ms")
    with tempfile.TemporaryDirectory(prefix="lve-bench-") as folder:
        place = Path(folder)
        if not given.running:
            print_table(in_turn(being_installed(place), given.rounds * 3))
        with running_server(latency_s=LATENCY_S) as server:
            print_table(in_turn(running(place, server.url, given.instances), given.rounds))
        if not given.running:
            print_table(in_turn(collecting(place, given.folders, mixed=given.mixed), given.rounds))


if __name__ == "__main__":
    main()
