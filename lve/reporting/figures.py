"""The figures of a test beside its verdict, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from lve.conventions import place_of_row
from lve.escape import listed
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.population import decide_by_bounds, population_text
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.verdicts.figures import Figures
    from lve.verdicts.rates.at_k import AtK

SHOWN_FLAKY = 3
LARGEST_SHOWN_K = 8
"""`--json` has more."""


def figure_lines(tally: Tally) -> Iterator[str]:
    """Yield what stands beside a test's verdict: the rate corrected for known errors of its check,
    and what the repeats say of a test with a pass rate, or with flaky instances."""
    yield from correction_lines(tally)
    is_rate = tally.expect.kind == "rate"
    if tally.has_failures_only or not (is_rate or _is_mixed(tally)):
        return
    figures = tally.figures()
    if not (is_rate or figures.flakiness.flaky):
        return
    yield _other_claim(tally)
    if figures.has_repeats:
        yield _steadiness(figures)
    if _is_mixed(tally):
        few = [one for one in figures.at_k if one.k <= LARGEST_SHOWN_K]
        # Few instances may have more repeats than the others, as in a session that was stopped.
        yield from map(_of_k, sorted(few, key=lambda one: (one.instances, one.k))[-1:])


def correction_lines(tally: Tally) -> Iterator[str]:
    """Yield the corrected pass rate, if there is one, and that it contradicts the verdict, if it
    does."""
    errors, found = tally.calibration.errors, tally.corrected()
    if errors is None:
        return
    if others := sorted(tally.calibration.other_judges):
        known = listed(sorted(errors.served))
        yield f"the check's calibration doesn't hold: {listed(others)} judged, not {known}"
    if tally.judged < 2:
        return
    known = f"TPR {errors.tpr:.3g}, TNR {errors.tnr:.3g}"
    if found is None:
        if not errors.is_informative:
            yield f"no corrected rate: the check is no better than a coin ({known})"
        return
    yield f"corrected for the check's errors ({known}): {found}"
    if _is_contradicted(tally, found):
        yield "the corrected rate contradicts this verdict, which is about what the check says"


def correction_json(tally: Tally) -> dict[str, Any] | None:
    """Return the corrected pass rate, as schemas/report.schema.json has it."""
    errors, found = tally.calibration.errors, tally.corrected()
    if errors is None or found is None:
        return None
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
        "tpr": errors.tpr,
        "tnr": errors.tnr,
        "contradicts": _is_contradicted(tally, found),
    }


def _is_contradicted(tally: Tally, corrected: Estimate) -> bool:
    """Whether the corrected rate says the opposite of the verdict about the rate."""
    if tally.expect.kind != "rate":
        return False
    decision = decide_by_bounds(corrected.low, corrected.high, tally.expect)
    return {tally.verdict()[0], decision} == {"passed", "failed"}


def _is_mixed(tally: Tally) -> bool:
    return bool(tally.counts["passed"] and tally.counts["failed"])


def _other_claim(tally: Tally) -> str:
    """Return the rate that the verdict is not about."""
    is_about_all = tally.expect.kind == "rate" and tally.expect.claim == "population"
    return f"these instances: {tally.rate}" if is_about_all else _population(tally)


def _population(tally: Tally) -> str:
    return population_text(tally.population(), tally.expect.cluster)


def _steadiness(figures: Figures) -> str:
    found = figures.flakiness
    parts = [
        f"{found.always_passed:,} always passed",
        f"{found.always_failed:,} always failed",
        f"{found.flaky:,} flaky",
    ]
    if found.once:
        parts.append(f"{found.once:,} ran once")
    named = [
        f"{place_of_row(one.source, one.line)} ({one.passed}/{one.judged})"
        for one in islice(figures.flaky, SHOWN_FLAKY)
    ]
    if found.flaky > len(named):
        named.append("...")
    return f"instances: {', '.join(parts)}{(named and ': ' + ', '.join(named)) or ''}"


def _of_k(found: AtK) -> str:
    k = found.k
    return (
        f"of {k} answers: any passes {found.any_passes.value:.3g} (pass@{k}), all pass "
        f"{found.all_pass.value:.3g} (pass^{k}), most pass {found.majority.value:.3g} "
        f"(majority@{k}), {found.share:.0%} pass {found.share_passes.value:.3g} (G-Pass@{k})"
    )


def figures_json(figures: Figures) -> dict[str, Any]:
    """Return the figures of a test, as schemas/report.schema.json has them."""
    steady = figures.flakiness
    return {
        "population": _estimate(figures.population),
        "flakiness": {
            "always_passed": steady.always_passed,
            "always_failed": steady.always_failed,
            "flaky": steady.flaky,
            "once": steady.once,
            "flaky_instances": [
                {**one._asdict(), "rate": one.passed / one.judged} for one in figures.flaky
            ],
        },
        "at_k": [
            {
                "k": one.k,
                "instances": one.instances,
                "pass_at_k": _estimate(one.any_passes),
                "pass_hat_k": _estimate(one.all_pass),
                "majority_at_k": _estimate(one.majority),
                "g_pass_at_k": _estimate(one.share_passes),
                "g_pass_share": one.share,
            }
            for one in figures.at_k
        ],
    }


def score_json(numbers: Breakdown, figures: Figures) -> dict[str, Any] | None:
    """Return the mean of the checkers' scores; None if there are none."""
    whole = numbers.whole
    if whole.score is None:
        return None
    return {
        "metric": numbers.metric,
        "mean": whole.score,
        "count": whole.scored,
        "population": _estimate(figures.score),
    }


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else found.to_json("instances")
