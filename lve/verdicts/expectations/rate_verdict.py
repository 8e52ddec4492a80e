"""Gives the verdict of a test that expects a rate or a count.

Decides about a rate of which some results are missing: it holds, or fails, only if it would
whatever these results were.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lve.checkers.contract import Outcome
from lve.plurals import amount
from lve.verdicts.coverage import NotRecorded
from lve.verdicts.expectations.counted_expectation import decide_count, has_failed_for_good
from lve.verdicts.expectations.interim import is_hopeless
from lve.verdicts.expectations.sample_size import higher_is_better, what_would_decide
from lve.verdicts.rates.population import decide_about_population, population_text
from lve.verdicts.rates.statistics import Decision, decide_despite_errors
from lve.verdicts.result_counts import ResultCounts


def judge_rate(counts: ResultCounts) -> tuple[Outcome, str]:
    """Return the verdict of a test that expects a rate or a count, and the reason. It must be the
    same whether results that are missing, and errors, count as passed or as failed."""
    reason = _rate_text(counts)
    if counts.coverage.has_failures_only:
        return "inconclusive", reason
    if not counts.coverage.is_complete and (why_lost := _why_lost(counts)) is not None:
        return "failed", counts.so_far(why_lost)
    decision, why_open = decide_despite_missing(
        partial(_decide, counts), counts.coverage.not_recorded, counts.counts["inconclusive"]
    )
    if decision is None:
        ended = ", so repeats ended" if _gave_up(counts) else ""
        return "error", f"{counts.so_far(counts.errors_text() + ended)}; {reason}"
    if not counts.coverage.is_complete:
        return "inconclusive", f"{counts.unfinished_text()}; {reason}"
    if decision == "inconclusive" and counts.judged and not counts.expect.counts_results:
        reason = f"{reason}; {_what_would_decide(counts)}"
    return decision, f"{reason}; {why_open}" if why_open else reason


def _gave_up(counts: ResultCounts) -> bool:
    return counts.ended_early and is_hopeless(counts.judged, counts.counts["error"])


def may_be_lost(counts: ResultCounts) -> bool:
    """Whether it depends on the number of results that are left if an expectation that counts
    can still be met."""
    if counts.coverage.has_failures_only or not (counts.total and counts.expect.counts_results):
        return False
    passed = counts.counts["passed"]
    return passed < counts.total if higher_is_better(counts.expect) else passed > 0


def _why_lost(counts: ResultCounts) -> str | None:
    """Return why an expectation that counts can't be met any more, whatever is left; None if it
    can."""
    if not counts.expect.counts_results:
        return None
    reason = _rate_text(counts)
    if has_failed_for_good(counts.expect, counts.counts["passed"]):
        return reason
    left = counts.coverage.left
    if left is not None and _decide(counts, _missing(counts) + left) == "failed":
        return f"{reason}; what is left ({amount(left, 'result')}) can't change that"
    return None


def _decide(counts: ResultCounts, missing: int) -> Decision | None:
    """Return the decision about the rate, whether errors and so many missing results count as
    passed or as failed; None if that matters."""
    passed, judged, errors = counts.counts["passed"], counts.judged, counts.counts["error"]
    if counts.expect.counts_results:
        return decide_count(counts.expect, passed, judged, errors, missing)[0]
    if counts.expect.claim != "population":
        sequential, without = counts.ended_early, errors + missing
        return decide_despite_errors(counts.expect, passed, judged, without, sequential=sequential)
    if counts.clusters is not None:
        return counts.clusters.decide(counts.expect, missing)
    return decide_about_population(counts.expect, counts.instances.counts(), errors + missing)


def _missing(counts: ResultCounts) -> int:
    """Return how many results could still pass or fail, without errors and what didn't run."""
    return counts.coverage.not_recorded.results + counts.counts["inconclusive"]


def _rate_text(counts: ResultCounts) -> str:
    expected = f"expected {counts.expect.wanted_rate}"
    if counts.coverage.has_failures_only:
        return f"only what failed before ran again: no rate, {expected}"
    if counts.expect.counts_results:
        passed, errors = counts.counts["passed"], counts.counts["error"]
        left = (counts.expect.number or 0) if counts.coverage.left is None else counts.coverage.left
        missing = _missing(counts) + (0 if counts.coverage.is_complete else left)
        return decide_count(counts.expect, passed, counts.judged, errors, missing)[1]
    if counts.expect.claim == "population":
        whose = population_text(counts.population(), counts.expect.cluster)
        return f"pass rate of {whose}, {expected}"
    return f"pass rate {counts.rate}, {expected}"


def _what_would_decide(counts: ResultCounts) -> str:
    is_about_all = counts.expect.claim == "population"
    clusters = counts.cluster_counts() if is_about_all else counts.instances.counts()
    return what_would_decide(counts.expect, clusters, counts.ended_early)


Decide = Callable[[int], Decision | None]
"""Returns the decision that is the same if so many missing results all passed, or all failed; None
if these differ, or if errors leave it open."""


def decide_despite_missing(
    decide: Decide, not_recorded: NotRecorded, unclear: int
) -> tuple[Decision | None, str]:
    """Return the decision about a rate, and what leaves it open besides errors, in words; an empty
    text if nothing does. The decision is None if errors leave it open.

    Args:
        decide: decides about the rate.
        not_recorded: what a replay left out because no answer is recorded.
        unclear: results that neither passed nor failed, and aren't errors.
    """
    decision = decide(0)
    if not (missing := not_recorded.results + unclear):
        return decision, ""
    whatever = decide(missing)
    if whatever is not None or decision is None:
        return whatever, ""
    reasons = [not_recorded.why_undecided()] if not_recorded.results else []
    reasons += [f"{amount(unclear, 'result')} without a clear verdict could change that"] * (
        unclear > 0
    )
    return "inconclusive", "; ".join(reasons)
