"""Installs the wheel into fresh environments and tries it there.

make pythons                        every interpreter, every lower bound (half an hour)
make pythons TRY="suites --only 3.13"
make pythons TRY="bounds --extras sql mcp"
python -m pythons short     part of `make test`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pythons import checks, claims
from pythons.environment import FOLDER, Environment, FailedError, build_wheel, environment
from pythons.interpreters import interpreters

TOOLS = "dev-quick"
"""The extra with what the suite needs."""
LARGE = ("hf", "pii", "ray")
"""Extras of several hundred MB, tried only where they are named."""
SHOWN = 6_000
"""Characters of what a failed command printed that are shown, from its end."""


class Trial(NamedTuple):
    """An environment, and what is tried in it."""

    name: str
    python: Path
    extras: Sequence[str]
    constraints: Sequence[str]
    tries: Sequence[Callable[[Environment], None]]


def suites(available: dict[str, Path]) -> Iterator[Trial]:
    """Yield a trial for each interpreter: recorded answers, and the suite of `make quick`."""
    for version, python in available.items():
        yield Trial(f"{version}", python, [TOOLS], [], [checks.replay, checks.quick_suite])


def replays(available: dict[str, Path]) -> Iterator[Trial]:
    """Yield a trial for each interpreter: recorded answers alone."""
    for version, python in available.items():
        yield Trial(f"replays-{version}", python, [], [], [checks.replay])


def bounds(python: Path, extras: Sequence[str]) -> Iterator[Trial]:
    """Yield a trial of the lowest versions of the dependencies, and one of those of each extra."""
    core = claims.lowest(claims.dependencies())
    yield Trial("lowest", python, [TOOLS], core, [checks.replay, checks.quick_suite])
    for extra, needed in claims.extras().items():
        if extra in extras:

            def tests_of_it(env: Environment, extra: str = extra) -> None:
                checks.tests_of(env, extra)

            limits = [*core, *claims.lowest(needed)]
            yield Trial(f"lowest-{extra}", python, [TOOLS, extra], limits, [tests_of_it])


def short(available: dict[str, Path]) -> Iterator[Trial]:
    """Yield what `make test` tries: recorded answers alone, with the lowest versions on the oldest
    interpreter and the newest ones on the newest."""
    oldest, *others = available
    core = claims.lowest(claims.dependencies())
    yield Trial(f"short-{oldest}-lowest", available[oldest], [], core, [checks.replay])
    for newest in others[-1:]:
        yield Trial(f"short-{newest}", available[newest], [], [], [checks.replay])


def run(trials: Sequence[Trial]) -> int:
    """Make the environments and try what is to be tried; return the number of failures."""
    wheel, failed = build_wheel(), 0
    for trial in trials:
        began = time.monotonic()
        try:
            env = environment(trial.name, trial.python, wheel, trial.extras, trial.constraints)
            for attempt in trial.tries:
                attempt(env)
        except FailedError as error:
            failed += 1
            log = FOLDER / f"{trial.name}.log"
            log.write_text(str(error), "utf-8")
            print(f"{str(error)[-SHOWN:]}\n{trial.name}: FAILED ({log})", flush=True)
        else:
            print(f"{trial.name}: passed ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"pythons: {len(trials) - failed} passed, {failed} failed")
    return failed


def main() -> int:
    """Read the command line and return the exit status."""
    small = [name for name in claims.extras() if name not in LARGE]
    parser = argparse.ArgumentParser(prog="pythons", description=__doc__)
    parser.add_argument("what", nargs="*", default=["suites", "bounds"])
    parser.add_argument("--only", nargs="+", default=claims.versions(), metavar="3.12")
    parser.add_argument("--extras", nargs="*", default=small, metavar="sql")
    parser.add_argument("--folder", action="append", default=[], help="with an interpreter")
    options = parser.parse_args()
    available = interpreters(options.only, options.folder)
    if not available:
        print(f"no Python {', '.join(options.only)} on this machine")
        return 1
    missing = [version for version in options.only if version not in available]
    if missing:
        print(f"not on this machine: Python {', '.join(missing)}")
    oldest = next(iter(available.values()))
    kinds = {
        "suites": lambda: suites(available),
        "bounds": lambda: bounds(oldest, options.extras),
        "replays": lambda: replays(available),
        "short": lambda: short(available),
    }
    return min(1, run([trial for what in options.what for trial in kinds[what]()]))


if __name__ == "__main__":
    sys.exit(main())
