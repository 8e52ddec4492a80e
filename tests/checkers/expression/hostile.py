"""Runs expressions in a process that can be killed: `python hostile.py` reads a JSON list of
`[expression, response]` and prints a line of JSON after each one."""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import time
from pathlib import Path

from lve.checkers.expression.function import Function
from lve.checkers.judging_limits import ACTIVE, UNITS, Limits
from lve.errors import CheckerError

MEMORY_BYTES = 3_000_000_000
TENTH = Limits(units=UNITS // 10, regex_seconds=0.05)
"""What isn't paid for takes as long as ever."""


def outcome_of(source: str, response: object) -> str:
    """Return what an expression gives: a truth value or the error."""
    try:
        return str(Function(source).evaluate(response, {})[0])
    except CheckerError as error:
        return f"{type(error).__name__}: {error}"


def most_kilobytes() -> int:
    """Return the most memory that this process had, in KiB.

    `getrusage` would count what the process that started this one had: on Linux its figure
    outlives `exec`."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Run them."""
    ACTIVE.limits = TENTH
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for source, response in json.load(sys.stdin):
        start = time.process_time()
        outcome = outcome_of(source, response)
        used = most_kilobytes()
        seconds = time.process_time() - start
        said = {"outcome": outcome[:300], "seconds": seconds, "kilobytes": used}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
