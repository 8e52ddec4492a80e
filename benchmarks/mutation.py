"""Mutation testing: of small faults planted in the code, how many does no test notice?

    python benchmarks/mutation.py [--n 300] [--seed N] [--reached FILE] [--full] [--most PERCENT]
                                  [--seconds S] [ROOM...]

First the quick suite runs once and records which tests reach which line, in whatever process
(marking.py; minutes; FILE keeps that for the next time). Then N faults, chosen at random in the
modules of the rooms (all of them, unless some are named), are planted one by one in copies of the
tree. The tests that reach the line run, the quickest first. A test that fails, or takes too long,
runs again without the fault: only where it passes then was the fault noticed. The seed is a new one
each time, and printed, so that tests can't be fitted to the faults of one. With --full, a fault
that survives these is planted again for the tests that the quick suite leaves out, recorded in the
same way (FILE.full keeps that). What survives is printed, and how much of each room: each is a test
that is missing, or a fault that changes nothing. The aim is at most one in ten. With --most, the
exit code is 1 if a larger share survives. After S seconds no more faults are planted: the figures
are of those that were.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from marking import mark_modules
from mutants import Mutant, mutants_of
from planting import (
    SECONDS_OF_READERS,
    SECONDS_OF_TESTS,
    compile_copy,
    copy_of_tree,
    environment_of,
    is_noticed_in,
)
from support.slow import SLOW

ROOT = Path(__file__).resolve().parents[1]
Reached = dict[str, dict[str, float]]
"""For `module:line` the tests that run it, with the seconds that each takes."""


def main() -> None:
    """Record, plant, and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=all_rooms())
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--most", type=float, default=100.0)
    parser.add_argument("--reached", type=Path)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    reached = reached_lines(options.reached, options.rooms, options.processes, ["--quick", "tests"])
    chosen = sampled(options.rooms, reached, options.n, options.seed)
    print(f"{len(chosen)} faults of seed {options.seed}", flush=True)
    chosen, survivors = surviving(chosen, reached, options.processes, options.seconds)
    report(chosen, survivors)
    if options.full and survivors:
        print("Now the tests that the quick suite leaves out:", flush=True)
        kept = options.reached and options.reached.with_name(options.reached.name + ".full")
        reached = reached_lines(kept, options.rooms, options.processes, slow_tests())
        _, survivors = surviving(survivors, reached, options.processes)
        report(chosen, survivors)
    if 100 * len(survivors) > options.most * len(chosen):
        raise SystemExit(1)


def report(chosen: list[Mutant], survivors: list[Mutant]) -> None:
    """Print how many faults survived, by room."""
    for line in by_room(chosen, survivors):
        print(line)
    share = 100 * len(survivors) / len(chosen)
    print(f"{len(survivors)} of {len(chosen)} survived ({share:.1f} %)", flush=True)


def all_rooms() -> list[str]:
    """Return the rooms of lve, and `.` for the modules at its top."""
    folders = (path.name for path in (ROOT / "lve").iterdir() if (path / "__init__.py").exists())
    return [".", *sorted(folders)]


def by_room(chosen: list[Mutant], survivors: list[Mutant]) -> Iterator[str]:
    """Yield how many faults of each room survived."""
    planted, survived = (Counter(map(room_of, mutants)) for mutants in (chosen, survivors))
    for room, number in sorted(planted.items()):
        yield f"{room:15} {survived[room]:3} of {number}"


def room_of(mutant: Mutant) -> str:
    """Return the room of a fault's module."""
    parts = Path(mutant.module).parts
    return parts[1] if len(parts) > 2 else "."


def slow_tests() -> list[str]:
    """Return the files and folders that the quick suite leaves out."""
    tests = ROOT / "tests"
    return sorted({str(path.relative_to(ROOT)) for name in SLOW for path in tests.glob(name)})


def surviving(
    mutants: list[Mutant], reached: Reached, processes: int, seconds: float = float("inf")
) -> tuple[list[Mutant], list[Mutant]]:
    """Plant faults for so many seconds; return those planted and, printed, those not noticed."""
    planted, survivors = [], []
    with tempfile.TemporaryDirectory(prefix="lve-mutation-") as folder:
        ends = tried(mutants, reached, Path(folder), processes, time.monotonic() + seconds)
        for mutant, is_noticed in ends:
            planted.append(mutant)
            if not is_noticed:
                survivors.append(mutant)
                print(f"[{len(planted)}/{len(mutants)}] survived: {mutant}", flush=True)
    return planted, survivors


def sampled(rooms: list[str], reached: Reached, n: int, seed: int) -> list[Mutant]:
    """Return N faults, each possible one of the rooms' modules as likely as the others.

    Modules with functions of which the quick suite runs none (local models) are left out.
    """
    run = {place.rpartition(":")[0] for place in reached if not place.endswith(":0")}
    every: list[Mutant] = []
    for room in rooms:
        modules = (ROOT / "lve" / room).rglob("*.py")
        for path in sorted((ROOT / "lve").glob("*.py") if room == "." else modules):
            module = path.relative_to(ROOT).as_posix()
            mutants = list(mutants_of(module, path.read_text()))
            if module in run or all(mutant.at_import for mutant in mutants):
                every += mutants
    return random.Random(seed).sample(every, min(n, len(every)))


def reached_lines(kept: Path | None, rooms: list[str], processes: int, tests: list[str]) -> Reached:
    """Return which of the tests reach which line: read from a file, or recorded (and kept there).

    They are recorded in a copy of the tree, too: a test that fails there anyway notices nothing.
    """
    if kept is not None and kept.exists():
        return unpacked(json.loads(kept.read_text()))
    reached: Reached = defaultdict(dict)
    with tempfile.TemporaryDirectory(prefix="lve-reached-") as folder:
        copy = copy_of_tree(Path(folder) / "tree")
        places = mark_modules(copy, rooms)
        plugin = Path(folder) / "plugin"  # alone: benchmarks have modules that are named as rooms
        plugin.mkdir()
        for name in ("reached.py", "reached_marks.py"):
            shutil.copy2(ROOT / "benchmarks" / name, plugin)
        environment = environment_of(copy, str(plugin)) | {"LVE_REACHED": folder}
        environment["PYTEST_ADDOPTS"] = "--assert=plain"  # pytest reads plugins' texts otherwise
        command = [sys.executable, "-m", "pytest", "-q", "-p", "reached", "-n", str(processes)]
        subprocess.run([*command, *tests], cwd=copy, env=environment, check=False)
        for part in Path(folder).glob("*.json"):
            recorded = json.loads(part.read_text())
            for mark, those in recorded["marks"].items():
                for place in places[int(mark)]:
                    reached[place] |= {test: recorded["seconds"][test] for test in those}
            for module, those in recorded["readers"].items():
                reached[f"{module}:0"] |= {test: recorded["seconds"][test] for test in those}
    if not reached:
        raise SystemExit("the tests reach none of these rooms, or didn't run: see above")
    if kept is not None:
        kept.write_text(json.dumps(packed(reached)))
    return reached


def packed(reached: Reached) -> dict[str, Any]:
    """Return the same with each test's name once: a twentieth of the size."""
    seconds = {test: took for tests in reached.values() for test, took in tests.items()}
    numbers = {test: number for number, test in enumerate(seconds)}
    places = {place: [numbers[test] for test in tests] for place, tests in reached.items()}
    return {"tests": list(seconds.items()), "places": places}


def unpacked(recorded: dict[str, Any]) -> Reached:
    """Return what `packed` was given."""
    tests = recorded["tests"]
    return {
        place: {tests[number][0]: tests[number][1] for number in numbers}
        for place, numbers in recorded["places"].items()
    }


def tried(
    mutants: list[Mutant], reached: Reached, folder: Path, processes: int, until: float
) -> Iterator[tuple[Mutant, bool]]:
    """Yield each fault that was planted in time, and whether a test noticed it."""
    first = copy_of_tree(folder / "0")
    compile_copy(first)
    copies: SimpleQueue[Path] = SimpleQueue()
    copies.put(first)
    for i in range(1, processes):
        copies.put(shutil.copytree(first, folder / str(i)))

    def planted(mutant: Mutant) -> bool | None:
        if time.monotonic() > until:
            return None
        copy = copies.get()
        try:
            return is_noticed_in(copy, mutant, tests_of(mutant, reached))
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(processes) as pool:
        futures = {pool.submit(planted, mutant): mutant for mutant in mutants}
        for future in as_completed(futures):
            is_noticed = future.result()
            if is_noticed is not None:
                yield futures[future], is_noticed


def tests_of(mutant: Mutant, reached: Reached) -> list[str]:
    """Return what to run for a fault: its own file's tests, its folder's, then of each other file
    the quickest in turn: a hundred tests of one file often say the same. Last come those that read
    the module's text, as tests of the house do.

    A line that runs when its module is imported is reached by whatever reaches the module; if all
    of its lines are such, by whatever reaches a module that imports it. So may be a function that
    runs then, so the module's own tests run for each of its lines; for a line at import the whole
    file, of which no line may be recorded: a test of a table runs nothing but the import.
    """
    module = Path(mutant.module)
    tests = dict(reached.get(f"{mutant.module}:{mutant.line}", {}))
    of_module = tests_of_module(mutant.module, reached)
    if mutant.at_import:
        for importer in () if of_module else importers(module):
            of_module |= tests_of_module(importer, reached)
        tests |= of_module
    tests |= {test: s for test, s in of_module.items() if f"/test_{module.stem}.py" in test}
    readers = reached.get(f"{mutant.module}:0", {})
    chosen = [*first_seconds(nearest_first(tests, module), SECONDS_OF_TESTS)][:400]
    later = [*first_seconds(nearest_first(readers, module), SECONDS_OF_READERS)][:100]
    own = ROOT / "tests" / module.parent.relative_to("lve") / f"test_{module.stem}.py"
    whole = [own.relative_to(ROOT).as_posix()] if mutant.at_import and own.exists() else []
    return list(dict.fromkeys([*whole, *chosen, *later]))


def tests_of_module(module: str, reached: Reached) -> dict[str, float]:
    """Return the tests that run any line of a module in a function."""
    tests: dict[str, float] = {}
    for place, more in reached.items():
        if place.startswith(f"{module}:") and not place.endswith(":0"):
            tests |= more
    return tests


def importers(module: Path) -> Iterator[str]:
    """Yield the modules that import one."""
    name = ".".join(module.with_suffix("").parts).removesuffix(".__init__")
    room, _, stem = name.rpartition(".")
    wanted = (f"from {name} import", f"from {room} import {stem}\n")
    for path in sorted((ROOT / "lve").rglob("*.py")):
        if any(text in path.read_text() for text in wanted):
            yield path.relative_to(ROOT).as_posix()


def nearest_first(tests: dict[str, float], module: Path) -> list[tuple[str, float]]:
    """Return tests and their seconds in the order in which they are likely to notice a fault."""
    folder = f"tests/{module.parent.relative_to('lve').as_posix()}/"
    nearness = {
        test: (f"/test_{module.stem}.py" in test) + test.startswith(folder) for test in tests
    }
    turns, ordered = Counter[str](), []
    for test in sorted(tests, key=lambda test: tests[test]):
        file = test.partition("::")[0]
        turns[file] += 1
        of_file = 0 if nearness[test] == 2 else turns[file]
        ordered.append((-nearness[test], of_file, tests[test], test))
    return [(test, seconds) for *_, seconds, test in sorted(ordered)]


def first_seconds(tests: list[tuple[str, float]], limit: float) -> Iterator[str]:
    """Yield the first tests that take so many seconds together, at least one."""
    total = 0.0
    for test, seconds in tests:
        total += seconds
        if total > limit and total > seconds:
            return
        yield test


if __name__ == "__main__":
    main()
