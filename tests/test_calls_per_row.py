"""What one more row costs, in calls of functions: a count, so that no neighbour changes it.

Instructions say more, but take minutes and valgrind: `make held`.
"""

from __future__ import annotations

import json
import pstats
import subprocess
import sys
from pathlib import Path

from support.folders import write_test
from support.server import model_server

FEW, MANY = 40, 240
MOST = {"fresh": 367, "cached": 189}
"""Calls per row, which vary by less than two. Who needs fewer lowers them."""
BY_THE_CLOCK = (
    *("betting", "compiler.py", "cache/users.py", "_look_around", "effort.py"),
    *("asyncio/", "selectors.py"),  # turns of the event loop
    *("_schedule", "_commit", "cache/sqlite.py"),  # answers that are written at once
    *("reading.py:_begin", "reading.py:end", "_version"),  # or read
)
"""Parts of places that are called, or call, as often as the time says: when answers come, say."""
LATENCY_S = 0.01
"""Of an answer: each request then waits for its turn, however fast the machine is."""
PROFILED = """
import cProfile, sys
from lve.__main__ import main
profile = cProfile.Profile()
sys.argv[0] = "lve"
file = sys.argv.pop(1)
try:
    profile.runcall(main)
except SystemExit as end:
    assert end.code == 0, end.code
finally:
    profile.dump_stats(file)
"""


def calls(folder: Path, url: str, rows: int) -> dict[str, int]:
    """Write a test of `rows` sums; return the calls of a run without and with its answers in the
    cache."""
    write_test(
        folder / "t",
        model="m",
        prompt=[{"role": "user", "content": "Compute {a} + {b}"}],
        prompt_parameters=["a", "b"],
        checker_args={
            "checker_name": "LambdaChecker",
            "func": "lambda r, a, b: int(r) == int(a) + int(b)",
        },
        instances=[{"args": {"a": str(number), "b": "2"}} for number in range(rows)],
    )
    settings = {"models": {"m": {"base_url": url, "model": "m"}}}
    (folder / "lve.yaml").write_text(json.dumps(settings))
    return {kind: _profiled(folder, kind) for kind in ("fresh", "cached")}


def _profiled(folder: Path, kind: str) -> int:
    file = folder / f"{kind}.profile"
    command = [sys.executable, "-c", PROFILED, str(file), "run", "t", "-q", "-j", "8"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    total = 0
    for called, (*_, callers) in pstats.Stats(str(file)).stats.items():
        if not _is_by_the_clock(called):
            total += sum(
                count for caller, (count, *_) in callers.items() if not _is_by_the_clock(caller)
            )
    return total


def _is_by_the_clock(function: tuple[str, int, str]) -> bool:
    name = f"{function[0]}:{function[2]}"
    return any(part in name for part in BY_THE_CLOCK)


def test_what_one_more_row_calls(tmp_path: Path) -> None:
    counts = {}
    with model_server(latency_s=LATENCY_S) as server:
        for rows in (FEW, MANY):
            folder = tmp_path / str(rows)
            folder.mkdir()
            counts[rows] = calls(folder, server.url, rows)
    for kind, most in MOST.items():
        per_row = (counts[MANY][kind] - counts[FEW][kind]) / (MANY - FEW)
        assert most * 0.9 < per_row <= most, f"{kind}: {per_row:.0f}; a tenth fewer: lower MOST"
