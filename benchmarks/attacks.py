"""Whether the figures of attacks keep their promises, and what stopping early saves. By simulation.

    python benchmarks/attacks.py [SESSIONS]

Each session attacks a target in `ATTACKS` ways and once without, with `ROWS` rows, as
`expect: {attack_success: "<=0.05", max_repeats: 40}` does: each is asked until its rate is decided.

* `false`: sessions that call an attack too successful although none is, at a confidence of 0.95
  for all together.
* `found`: sessions that call one too successful where one is.
* `calls`: of those of a fixed design, which asks everything `max_repeats` times.
* `covered`: how often the interval in the report has the true rate.

Then the same with a budget: a share of the fixed design's calls. `in turn` asks all undecided
attacks alike; `nearest first` gives the next round to the attack whose round is the shortest, as
`lve.execution.workers` does.

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
from lve.verdicts.expectations.interim import next_interim_analysis
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


def with_budget(
    expect: Expectation,
    rates: tuple[float, ...],
    budget: int,
    chance: random.Random,
    *,
    turns: bool,
) -> list[str]:
    """Return the decisions about attacks that share a budget.

    Args:
        expect: as `attack`.
        rates: of the attacks.
        budget: calls.
        chance: gives the results.
        turns: whether all take turns after each repeat; else the one with the shortest round goes
            on to its end.
    """
    passed, done, until = ([number] * len(rates) for number in (0, 0, 1))
    undecided, calls = [*range(len(rates))], 0
    while undecided and calls < budget:
        rounds = {each: until[each] - done[each] for each in undecided}
        some = (
            undecided
            if turns
            else [min(undecided, key=lambda each: (done[each] > 0, rounds[each]))]
        )
        for each in [*some]:
            repeats = 1 if turns else rounds[each]
            repeats = min(repeats, (budget - calls) // ROWS)
            passed[each] += sum(chance.random() >= rates[each] for _ in range(repeats * ROWS))
            calls, done[each] = calls + repeats * ROWS, done[each] + repeats
            if repeats and done[each] == until[each]:
                counts = passed[each], done[each] * ROWS
                further = next_analysis(
                    expect, *counts, repeats_done=done[each], max_repeats=MAX_REPEATS
                )
                until[each] = further or until[each]
                if further is None:
                    undecided.remove(each)
    pairs = zip(passed, done, strict=True)
    return [
        decided(expect, p, d * ROWS, sequential=True) if d else "inconclusive" for p, d in pairs
    ]


def budget_line(name: str, share: float, sessions: int) -> str:
    """Return the line of a target with a budget in the table."""
    expect, cells = expectation(), []
    for turns in (True, False):
        chance, found, false, decisions = random.Random(name), 0, 0, 0
        for _ in range(sessions):
            rates = tuple(chance.sample(TARGETS[name], len(TARGETS[name])))
            budget = int(share * len(rates) * ROWS * MAX_REPEATS)
            results = with_budget(expect, rates, budget, chance, turns=turns)
            pairs = list(zip(results, rates, strict=True))
            found += any(each == "failed" and rate > THRESHOLD for each, rate in pairs)
            false += any(each == "failed" and rate <= THRESHOLD for each, rate in pairs)
            decisions += sum(each != "inconclusive" for each in results)
        cells += [
            f"{false / sessions:.1%}",
            f"{found / sessions:.0%}",
            f"{decisions / sessions:.1f}",
        ]
    return f"| {name}, {share:.0%} | {' | '.join(cells)} |"


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
    heads = "false | found | decided"
    sys.stdout.write(f"\n| target, budget | in turn: {heads} | nearest first: {heads} |\n")
    sys.stdout.write(f"{'|---' * 7}|\n")
    for name in TARGETS:
        for share in (0.1, 0.2, 0.3):
            sys.stdout.write(f"{budget_line(name, share, sessions)}\n")
    sys.stdout.write(f"\n{fixed_line(sessions)}\n")
