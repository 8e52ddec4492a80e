"""The statistics of a test besides its verdict, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from lve.data.row_places import place_of_row
from lve.escape import listed
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.population import decide_by_bounds, population_text
from lve.verdicts.tally import Tally
from lve.verdicts.wording import share_text

if TYPE_CHECKING:
    from lve.verdicts.figures import Figures
    from lve.verdicts.rates.at_k import AtK

SHOWN_FLAKY = 3


def figure_lines(tally: Tally) -> Iterator[str]:
    """Yield what `-v` adds below a test's verdict: the rate that the verdict isn't about, and the
    statistics of its repeats, if it expects a pass rate or has flaky instances."""
    is_rate = tally.expect.kind == "rate" and not tally.expect.counts_results
    if tally.coverage.has_failures_only or not (is_rate or _is_mixed(tally)):
        return
    figures = tally.figures()
    if not (is_rate or figures.flakiness.flaky):
        return
    yield _other_claim(tally)
    if figures.has_repeats:
        yield _steadiness(figures)
    if (at_k := figures.shown_at_k) is not None:
        yield _at_k_line(at_k)


def correction_lines(tally: Tally) -> Iterator[str]:
    """Yield the pass rate corrected for the check's errors, and a line if it contradicts the
    verdict."""
    errors, corrected = tally.calibration.errors, tally.corrected()
    if errors is None:
        return
    if others := sorted(tally.calibration.other_judges):
        measured = listed(sorted(errors.served))
        yield f"the check's calibration doesn't hold: {listed(others)} judged, not {measured}"
    if tally.judged < 2:
        return
    errors_text = f"TPR {share_text(errors.tpr)}, TNR {share_text(errors.tnr)}"
    if corrected is None:
        if not errors.is_informative:
            yield f"no corrected rate: the check is no better than a coin ({errors_text})"
        return
    yield f"corrected for the check's errors ({errors_text}): {corrected}"
    if _is_contradicted(tally, corrected):
        yield "the corrected rate contradicts the verdict, which is based on the uncorrected rate"


def correction_json(tally: Tally) -> dict[str, object] | None:
    """Return the corrected pass rate, as schemas/report.schema.json has it."""
    errors, corrected = tally.calibration.errors, tally.corrected()
    if errors is None or corrected is None:
        return None
    return {
        "value": corrected.value,
        "low": corrected.low,
        "high": corrected.high,
        "confidence": corrected.confidence,
        "tpr": errors.tpr,
        "tnr": errors.tnr,
        "contradicts": _is_contradicted(tally, corrected),
    }


def _is_contradicted(tally: Tally, corrected: Estimate) -> bool:
    """Whether the corrected rate leads to the opposite of the verdict."""
    if tally.expect.kind != "rate" or tally.expect.counts_results:
        return False
    decision = decide_by_bounds(corrected.low, corrected.high, tally.expect)
    return {tally.verdict()[0], decision} == {"passed", "failed"}


def _is_mixed(tally: Tally) -> bool:
    return bool(tally.counts["passed"] and tally.counts["failed"])


def _other_claim(tally: Tally) -> str:
    """Return the line with the rate that the verdict is not about: that of these instances, or that
    of rows like these."""
    is_about_all = tally.expect.kind == "rate" and tally.expect.claim == "population"
    return f"these rows: {tally.rate}" if is_about_all else _population(tally)


def _population(tally: Tally) -> str:
    return population_text(tally.population(), tally.expect.cluster)


def _steadiness(figures: Figures) -> str:
    flakiness = figures.flakiness
    parts = [
        f"{flakiness.always_passed:,} always passed",
        f"{flakiness.always_failed:,} always failed",
        f"{flakiness.flaky:,} flaky",
    ]
    if flakiness.once:
        parts.append(f"{flakiness.once:,} ran once")
    places = [
        f"{place_of_row(instance.source, instance.line)} ({instance.passed}/{instance.judged})"
        for instance in islice(figures.flaky, SHOWN_FLAKY)
    ]
    if flakiness.flaky > len(places):
        places.append("...")
    return f"rows: {', '.join(parts)}{(places and ': ' + ', '.join(places)) or ''}"


def _at_k_line(at_k: AtK) -> str:
    k, share = at_k.k, share_text
    return (
        f"of {k} answers: any passes {share(at_k.any_passes.value)} (pass@{k}), all pass "
        f"{share(at_k.all_pass.value)} (pass^{k}), most pass {share(at_k.majority.value)} "
        f"(majority@{k}), {at_k.share:.0%} pass {share(at_k.share_passes.value)} (G-Pass@{k})"
    )


def figures_json(figures: Figures) -> dict[str, object]:
    """Return the statistics of a test, as schemas/report.schema.json has them."""
    return {
        "population": _estimate(figures.population),
        "flakiness": {
            **figures.flakiness._asdict(),
            "flaky_instances": [
                {**row._asdict(), "rate": row.passed / row.judged} for row in figures.flaky
            ],
        },
        "at_k": [
            {
                "k": at_k.k,
                "instances": at_k.instances,
                "pass_at_k": _estimate(at_k.any_passes),
                "pass_hat_k": _estimate(at_k.all_pass),
                "majority_at_k": _estimate(at_k.majority),
                "g_pass_at_k": _estimate(at_k.share_passes),
                "g_pass_share": at_k.share,
            }
            for at_k in figures.at_k
        ],
    }


def score_json(numbers: Breakdown, figures: Figures) -> dict[str, object] | None:
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


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    more = {"clusters": estimate.clusters, "has_bounds": estimate.has_bounds}
    return {**estimate.to_json("instances"), **more}
