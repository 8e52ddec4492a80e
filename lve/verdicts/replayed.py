"""Says what a replay of recorded answers couldn't look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lve.results.records import REPLAY
from lve.verdicts.wording import unbound_text

if TYPE_CHECKING:
    from lve.verdicts.summary import Summary

NOTHING_SENT = "recorded answers, nothing was sent"


def sent_nothing(summary: Summary) -> bool:
    """Whether all results of a session are those of recorded answers, and nobody was asked."""
    tallies = summary.tallies.values()
    return bool(tallies) and all(one.model == REPLAY and not one.asked.answers for one in tallies)


def uncertain_lines(summary: Summary) -> Iterator[str]:
    """Yield how many answers may be for another prompt, and which rows weren't judged."""
    if summary.unbound:
        yield unbound_text(summary.unbound)
    if (missing := summary.not_recorded()).count:
        yield str(missing)


def replay_lines(summary: Summary) -> Iterator[str]:
    """Yield what reports say of a session besides its verdicts, if answers were replayed: recorded
    verdicts that have changed, answers and rows as `uncertain_lines`, and that nothing was sent."""
    agreement = summary.agreement()
    if agreement.same < agreement.compared and sent_nothing(summary):
        yield str(agreement)
    yield from uncertain_lines(summary)
    if sent_nothing(summary):
        yield NOTHING_SENT
