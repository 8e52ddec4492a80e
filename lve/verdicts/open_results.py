"""Decides about a rate of which some results are missing: it holds, or fails, only if it would
whatever these results were."""

from __future__ import annotations

from collections.abc import Callable

from lve.verdicts.coverage import NotRecorded
from lve.verdicts.rates.statistics import Decision
from lve.verdicts.wording import amount

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
