"""How likely a pass rate is to be decided, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from lve.pipeline.prospects.rate_prospects import POWER, Prospect
from lve.plurals import amount
from lve.spec.spec import Expectation
from lve.verdicts.expectations.power import OutcomeProbabilities


def prospect_lines(prospect: Prospect, *, calls_per_run: float | None = None) -> Iterator[str]:
    """Yield how likely the pass rate is decided at some true rates, and how many calls that takes.

    Args:
        prospect: the prospect of a test.
        calls_per_run: the calls of one run of an instance; None: count runs instead of calls.
    """
    expect, best_case = prospect.expect, prospect.best_case
    word = "run" if calls_per_run is None else "call"

    def decided(chance: OutcomeProbabilities) -> str:
        return f"{chance.rate:g} in {chance.decided:.0%} ({effort(chance):,})"

    def effort(chance: OutcomeProbabilities) -> int:
        return round(chance.runs * (calls_per_run or 1))

    best, *others = prospect.chances
    repeats = f"at most {amount(best_case.repeats, 'repeat')}"
    counted = "each counted once" if expect.claim == "population" else repeats
    have = f"{prospect.size}, {counted}"
    yield f"{expect.comparison}{expect.threshold:g} with {have}, decides at a true rate of"
    first = f"{decided(best).removesuffix(')')} {word}s on average)"
    yield f"    {', '.join([first, *map(decided, others)])}"
    would = f"to decide {others[0].rate:g} in {POWER:.0%}"
    if prospect.enough_repeats is not None:
        yield f"    {would}: `max_repeats: {prospect.enough_repeats}`"
    elif prospect.enough_instances is not None:
        yield f"    {would}: about {amount(prospect.enough_instances, prospect.size.noun)}"
    if not best_case.can_fail:
        takes = "that takes more rows or repeats"
        none = "no number of runs shows such a rate"
        yield f"    it can never fail: {takes if 0 < expect.threshold < 1 else none}"


def counted_line(expect: Expectation) -> str:
    """Return that a pass rate is a count of results, and why; empty if it isn't one."""
    if expect.kind != "rate" or expect.claim != "these" or not expect.counts_results:
        return ""
    rate = f"{expect.comparison}{expect.threshold:g}"
    return f"{rate} counts this run's results: repeats would be alike (temperature 0, or a seed)"


def prospect_json(prospect: Prospect) -> dict[str, object]:
    """Return the prospect of a test as JSON."""
    expect, best_case = prospect.expect, prospect.best_case
    return {
        "pass_rate": f"{expect.comparison}{expect.threshold:g}",
        "confidence": expect.confidence,
        "instances": prospect.size.instances,
        "clusters": prospect.size.units if prospect.size.column is not None else None,
        "max_repeats": best_case.repeats,
        "can_pass": best_case.can_pass,
        "can_fail": best_case.can_fail,
        "chances": [
            {
                "rate": chance.rate,
                "passed": round(chance.passed, 4),
                "failed": round(chance.failed, 4),
                "runs": round(chance.runs, 1),
            }
            for chance in prospect.chances
        ],
        "enough_repeats": prospect.enough_repeats,
        "enough_instances": prospect.enough_instances,
    }
