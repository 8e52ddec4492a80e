"""Which functions a row costs most in, in bytecodes: a count that no neighbour changes.

    python benchmarks/bytecodes.py [--least 20]

Runs `lve run` of few and many sums, without and with its answers in the cache, and counts what each
function executes, calls of other functions not included; the difference tells what one more row
takes. A bytecode is some 35 instructions of the interpreter, and as many again of what it calls.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from instructions import finished, run_of
from run import write_tests
from server import RunningServer, running_server

ROOT = Path(__file__).resolve().parents[1]
FEW, MANY = 60, 360
COUNTED = """
import json, sys, threading
from collections import Counter
from lve.__main__ import main

file, sys.argv = sys.argv[1], ["lve", *sys.argv[2:]]
codes, calls = Counter(), Counter()

def local(frame, event, _):
    if event == "opcode":
        codes[frame.f_code] += 1
    return local

def entered(frame, event, _):
    frame.f_trace_opcodes, frame.f_trace_lines = True, False
    calls[frame.f_code] += 1
    return local

threading.settrace(entered)
sys.settrace(entered)
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
finally:
    sys.settrace(None)
places = {code: f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}" for code in codes}
counts = [(places[code], count, calls[code]) for code, count in codes.items()]
open(file, "w").write(json.dumps(counts))
"""

Counts = dict[str, tuple[int, int]]
"""Place of a function -> bytecodes and calls."""


def counted(place: Path, rows: int, server: RunningServer) -> dict[str, Counts]:
    """Return the counts of a first run and of the same again."""
    command, file = run_of(write_tests(place, rows)), place / "counts.json"
    kinds = {}
    for kind in ("fresh", "cached"):
        finished(ROOT, place, [str(file), *command], server, program=("-c", COUNTED))
        kinds[kind] = {name: (codes, calls) for name, codes, calls in json.loads(file.read_text())}
    return kinds


def shown(few: Counts, many: Counts, least: float) -> None:
    """Print the functions that a row executes at least so many bytecodes of."""
    rows = MANY - FEW
    costs = [
        ((codes - before) / rows, (calls - called) / rows, name)
        for name, (codes, calls) in many.items()
        for before, called in [few.get(name, (0, 0))]
    ]
    print(f"{sum(cost[0] for cost in costs):.0f} bytecodes, {sum(c[1] for c in costs):.0f} frames")
    for codes, calls, name in sorted(costs, reverse=True):
        if codes >= least:
            print(f"{codes:7.1f} {calls:6.2f} {name.removeprefix(f'{ROOT}/')}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--least", type=float, default=20, help="bytecodes of what is shown")
    options = parser.parse_args()
    kinds = []
    with running_server() as server:
        for rows in (FEW, MANY):
            with tempfile.TemporaryDirectory() as folder:
                kinds.append(counted(Path(folder), rows, server))
    for kind in ("fresh", "cached"):
        print(f"\n{kind}: ", end="")
        shown(kinds[0][kind], kinds[1][kind], options.least)


if __name__ == "__main__":
    main()
