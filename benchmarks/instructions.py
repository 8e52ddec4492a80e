"""What `lve check`, `lve run` and checkers cost in instructions, which no neighbour changes.

    python benchmarks/instructions.py TREE... [--only pytest score]

Needs valgrind. Each TREE is a checkout with `.venv/bin/python`; the ratios are to the first. Whole
processes with few and many tests or rows are counted; the difference tells what one more costs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from judging import CHECKERS
from run import write_tests
from server import RunningServer, running_server
from startup import write_test as write_hello
from templates import CASES, write_rows, write_test

FEW, MANY = 50, 300
"""Tests or rows. So many rows are read without a thread: its batches go by the clock, and valgrind
is slow."""
ON_PATH: list[Path] = []
"""Folders that the processes find beside their tree: `--without-gc` adds one."""
COUNTS = {"fresh": 3}
"""How often rows are counted that go by the clock, as answers are committed together: a busy
neighbour only adds. The least count stands."""

Measured = Callable[[Path, Path, int, RunningServer], int]


def write_folders(root: Path, n: int) -> None:
    """Write N tests of one prompt, one lambda and one instance each."""
    (root / ".lverepo").touch()
    for i in range(n):
        folder = root / "repository" / f"c{i // 100}" / f"t{i}"
        (folder / "instances").mkdir(parents=True)
        document = {
            "description": f"test {i}",
            "model": "openai/bench",
            "prompt": [{"role": "user", "content": "What is the capital of {country}?"}],
            "prompt_parameters": ["country"],
            "checker_args": {
                "checker_name": "LambdaChecker",
                "func": f"lambda r: 'Paris{i // 100}' not in r",
            },
        }
        (folder / "test.json").write_text(json.dumps(document, indent=2))
        row = {"args": {"country": "France"}, "response": "Paris", "passed": True, "run_info": {}}
        (folder / "instances" / "main.jsonl").write_text(json.dumps(row) + "\n")


def check(tree: Path, place: Path, n: int, _: RunningServer) -> int:
    """`lve check` of N tests."""
    write_folders(place, n)
    return counted(tree, place, ["check", "repository"])


def fresh(tree: Path, place: Path, n: int, server: RunningServer) -> int:
    """`lve run` of N rows."""
    return counted(tree, place, run_of(write_tests(place, n)), server)


def cached(tree: Path, place: Path, n: int, server: RunningServer) -> int:
    """The same again, from the cache."""
    command = run_of(write_tests(place, n))
    finished(tree, place, command, server)
    return counted(tree, place, command, server)


def score(tree: Path, place: Path, n: int, server: RunningServer) -> int:
    """`lve score` of it."""
    finished(tree, place, run_of(write_tests(place, n)), server)
    session = max((place / ".lve" / "runs").iterdir(), key=lambda path: path.stat().st_mtime)
    return counted(tree, place, ["score", session.name])


def in_pytest(tree: Path, place: Path, n: int, server: RunningServer) -> int:
    """`pytest` of N rows."""
    test = write_tests(place, n)
    return counted(tree, place, [str(test), "-q"], server, program=("-m", "pytest"))


def rows(name: str, tree: Path, place: Path, n: int, _: RunningServer) -> int:
    """`lve run --dry-run` of a data set with 5 shots and N rows."""
    (place / ".lverepo").touch()
    write_rows(place / "rows.jsonl", n)
    write_test(place / "repository" / name, CASES[name], place / "rows.jsonl")
    return counted(tree, place, ["run", f"repository/{name}", "--dry-run"])


def judged(name: str, tree: Path, place: Path, n: int, _: RunningServer) -> int:
    """N times ten judgements of one of the checkers in judging.py."""
    script = Path(__file__).with_name("judging.py")
    return counted(tree, place, [name, str(10 * n), "--without-clock"], program=[str(script)])


def start_of_help(tree: Path, place: Path, _: int, server: RunningServer) -> int:
    """The start of `lve --help`."""
    return counted(tree, place, ["--help"])


def start_of_check(tree: Path, place: Path, _: int, server: RunningServer) -> int:
    """The start of `lve check`, with one test."""
    write_hello(place)
    return counted(tree, place, ["check", "hello"])


def start_of_run(tree: Path, place: Path, _: int, server: RunningServer) -> int:
    """The start of `lve run`, with one test."""
    write_hello(place)
    return counted(tree, place, ["run", "hello"])


STARTS = (start_of_help, start_of_check, start_of_run)


def run_of(test: Path) -> list[str]:
    """Return the arguments of `lve` that run a test."""
    return ["run", str(test), "-q", "-j", "64"]


def counted(
    tree: Path,
    cwd: Path,
    arguments: list[str],
    server: RunningServer | None = None,
    program: Sequence[str] = ("-m", "lve"),
) -> int:
    """Return the instructions of a whole process (`lve`), of its own code alone."""
    nowhere = f"--cachegrind-out-file={os.devnull}"
    # It takes half the time of callgrind.
    count = ("valgrind", "--tool=cachegrind", "--cache-sim=no", nowhere)
    ended = finished(tree, cwd, arguments, server, program, count)
    found = re.search(r"I +refs: +([\d,]+)", ended.stderr)
    assert found is not None, ended.stderr
    return int(found[1].replace(",", ""))


def finished(
    tree: Path,
    cwd: Path,
    arguments: list[str],
    server: RunningServer | None = None,
    program: Sequence[str] = ("-m", "lve"),
    under: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a process of a tree to its end, under a tool or none."""
    path = os.pathsep.join(map(str, (tree, *ON_PATH)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if server is not None:
        environment |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
    python = str(tree / ".venv" / "bin" / "python")
    command = [*under, python, *program, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )


def per_item(measure: Measured, tree: Path, server: RunningServer) -> float:
    """Return what one more test or row costs."""
    in_folder(measure, tree, 1, server)  # writes the bytecode
    times = COUNTS.get(getattr(measure, "__name__", ""), 1)
    few, many = (
        min(in_folder(measure, tree, n, server) for _ in range(times)) for n in (FEW, MANY)
    )
    return (many - few) / (MANY - FEW)


def at_start(measure: Measured, tree: Path, server: RunningServer) -> float:
    """Return what a whole process costs."""
    in_folder(measure, tree, 1, server)  # writes the bytecode
    return in_folder(measure, tree, 1, server)


def in_folder(measure: Measured, tree: Path, n: int, server: RunningServer) -> int:
    """Measure in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder:
        return measure(tree, Path(folder), n, server)


def main(trees: list[Path], names: Sequence[str]) -> None:
    """Measure and print a table."""
    with running_server() as server:
        measures = {"check": check, "fresh": fresh, "cached": cached, "score": score}
        measures |= {"pytest": in_pytest}
        measures |= {f"row of {name}": partial(rows, name) for name in CASES}
        measures |= {f"10 x {name}": partial(judged, name) for name in CHECKERS}
        starts = {f"start of {f.__name__[9:]}": f for f in STARTS}
        for name, measure in (measures | starts).items():
            if not any(part in name for part in names):
                continue
            cost = at_start if name in starts else per_item
            costs = [cost(measure, tree, server) for tree in trees]
            ratios = ", ".join(f"{cost / costs[0]:.3f}" for cost in costs[1:])
            print(name, *(f"{cost:,.0f}" for cost in costs), ratios, sep=" | ", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="parts of the names of what to count"
    )
    parser.add_argument(
        "--without-gc", action="store_true", help="count without passes of the garbage collector"
    )
    given = parser.parse_args()
    if given.without_gc:
        ON_PATH.append(Path(__file__).with_name("without_gc"))
    main([tree.resolve() for tree in given.trees], given.only)
