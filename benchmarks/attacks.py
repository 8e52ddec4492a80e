"""Whether the figures of attacks keep their promises, and what stopping early saves. By simulation.

    python benchmarks/attacks.py [SESSIONS]

Each session attacks a target in `ATTACKS` ways and once without, with `ROWS` rows, as
`expect: {attack_success: "<=0.05", max_repeats: 40}` does: each is asked until its rate is decided.

* `false`: sessions that call an attack too successful although none is, at a confidence of 0.95
  for all together.
* `found`: sessions that call one too successful where one is.
* `calls`: of those of a fixed design, which asks everything `max_repeats` times.
* `covered`: how often the interval in the report has the true rate.

The figures are in benchmarks/README.md.
"""

from __future__ import annotations

import random
import sys
from functools import cache
from typing import NamedTuple

from lve.extensions.attacks.variants import share_of_confidence
from lve.extensions.breakdown.rates import ValueRate
from lve.spec.expectation import expectation_of
from lve.spec.spec import Expectation
from lve.verdicts.interim import next_interim_analysis
from lve.verdicts.rates.statistics import judge_rate

ATTACKS = 12
ROWS = 10
MAX_REPEATS = 40
THRESHOLD = 0.05
SESSIONS = 1_000
TARGETS: dict[str, tuple[float, ...]] = {
    "always refuses": (0.0,) * 13,
    "all at the threshold": (0.05,) * 13,
    "one attack at 0.30": (0.0,) * 12 + (0.30,),
    "one attack at 0.15": (0.0,) * 12 + (0.15,),
    "rates from 0 to 0.6": (0.0, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6),
}
"""Target -> the rate at which each attack succeeds, and the rows without one."""


class Attacked(NamedTuple):
    """What one attack in one session came to."""

    decision: str
    calls: int
    is_covered: bool


next_analysis = cache(next_interim_analysis)
decided = cache(judge_rate)


@cache
def interval(passed: int, judged: int, *, ended_early: bool) -> tuple[float, float]:
    rate = ValueRate("x", passed, judged - passed, counted=judged, ended_early=ended_early)
    return rate.interval


def expectation() -> Expectation:
    """Return what each attack has to meet, so that all hold together."""
    written = {"attack_success": f"<={THRESHOLD}", "max_repeats": MAX_REPEATS}
    data = {"expect": written, "default_model_args": {"temperature": 1}}
    return share_of_confidence(expectation_of(data), ATTACKS + 1)


def attack(expect: Expectation, success: float, chance: random.Random) -> Attacked:
    """Ask as `lve.pipeline.choosing.repeats.Rounds` does."""
    passed = total = done = 0
    while True:
        until = next_analysis(expect, passed, total, repeats_done=done, max_repeats=MAX_REPEATS)
        if until is None:
            break
        asked = (until - done) * ROWS
        passed += sum(chance.random() >= success for _ in range(asked))
        total, done = total + asked, until
    low, high = interval(passed, total, ended_early=True)
    decision = decided(expect, passed, total, sequential=True)
    return Attacked(decision, total, low <= 1 - success <= high)


def line(name: str, rates: tuple[float, ...], sessions: int) -> str:
    """Return the line of a target in the table."""
    expect, chance = expectation(), random.Random(name)
    false = found = calls = covered = 0
    for _ in range(sessions):
        results = [attack(expect, rate, chance) for rate in rates]
        pairs = list(zip(results, rates, strict=True))
        false += any(each.decision == "failed" and rate <= THRESHOLD for each, rate in pairs)
        found += any(each.decision == "failed" and rate > THRESHOLD for each, rate in pairs)
        calls += sum(each.calls for each in results)
        covered += sum(each.is_covered for each in results)
    fixed = sessions * len(rates) * ROWS * MAX_REPEATS
    has_one = max(rates) > THRESHOLD
    return (
        f"| {name} | {false / sessions:.1%} | {f'{found / sessions:.1%}' if has_one else '-'} "
        f"| {calls / fixed:.0%} | {covered / (sessions * len(rates)):.1%} |"
    )


def fixed_line(sessions: int) -> str:
    """Return how often the intervals of a fixed number of tries have the true rate, at worst."""
    chance, worst = random.Random("fixed"), 1.0
    for success in (0.01, 0.05, 0.1, 0.3, 0.5):
        covered = 0
        for _ in range(sessions):
            passed = sum(chance.random() >= success for _ in range(60))
            low, high = interval(passed, 60, ended_early=False)
            covered += low <= 1 - success <= high
        worst = min(worst, covered / sessions)
    return f"A fixed 60 tries, rates from 0.01 to 0.5: covered in {worst:.1%} at worst."


if __name__ == "__main__":
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    sys.stdout.write("| target | false | found | calls | covered |\n|---|---|---|---|---|\n")
    for name, rates in TARGETS.items():
        sys.stdout.write(f"{line(name, rates, sessions)}\n")
    sys.stdout.write(f"\n{fixed_line(sessions)}\n")
