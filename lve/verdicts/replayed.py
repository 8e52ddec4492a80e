"""Says what a replay of recorded answers couldn't look at, for reports of all kinds."""

from __future__ import annotations

from collections.abc import Iterator

from lve.models.error_kinds import STALE_RECORDING
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import REPLAY
from lve.spec.recorded_row import REMOVED_ROWS
from lve.verdicts.agreement import Agreement
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.verdicts.wording import stale_count_text, unbound_text

NOTHING_SENT = "recorded answers, nothing was sent"
SHOWN_CHANGES = 5


class Remark(NamedTuple):
    """A sentence about a replay."""

    name: str
    """What it is about, as JUnit's properties name it."""
    text: str


def sent_nothing(summary: Summary) -> bool:
    """Whether all results of a session are those of recorded answers, and nobody was asked."""
    tallies = summary.tallies.values()
    return bool(tallies) and all(
        tally.model == REPLAY and not tally.asked.answers for tally in tallies
    )


def changed_verdicts(summary: Summary, *, only_replays: bool = False) -> Iterator[str]:
    """Yield the first results whose verdict isn't the recorded one, and how many more there are.

    Args:
        summary: of a session.
        only_replays: whether to leave out answers that aren't recorded ones.
    """
    tallies = [
        tally for tally in summary.tallies.values() if tally.model == REPLAY or not only_replays
    ]
    changes = [
        f"{tally.test}/{note.place}: {note.recorded} before, {note.verdict} now"
        for tally in tallies
        for note in tally.agreement.changes
    ]
    yield from changes[:SHOWN_CHANGES]
    changed = sum(tally.agreement.compared - tally.agreement.same for tally in tallies)
    if changed > SHOWN_CHANGES:
        yield f"and {changed - SHOWN_CHANGES} more (`--json` has all)"


def uncertain_remarks(summary: Summary) -> Iterator[Remark]:
    """Yield which models answered if there are several, how many answers are or may be for another
    prompt, and which rows weren't judged."""
    if (answering := summary.answering()).are_several:
        yield Remark("answering models", str(answering))
    if stale := summary.error_kinds()[STALE_RECORDING]:
        yield Remark("stale", stale_count_text(stale))
    if summary.unbound:
        yield Remark("unbound", unbound_text(summary.unbound))
    if (missing := summary.not_recorded()).count:
        yield Remark("not recorded", str(missing))


def remarks_of_test(tally: Tally) -> Iterator[Remark]:
    """Yield what reports say of one test, as `replay_remarks`."""
    missing = tally.coverage.not_recorded.count
    if tally.model == REPLAY or tally.error_kinds or tally.answers.unbound or missing:
        yield from replay_remarks(Summary({(tally.test, tally.model): tally}))


def replay_remarks(summary: Summary) -> Iterator[Remark]:
    """Yield what reports say of a session besides its verdicts, if answers were replayed: recorded
    verdicts that have changed, models, answers and rows as `uncertain_remarks`, that nothing was
    sent, and what nothing in the tests can tell.
    """
    agreement = Agreement()
    for tally in summary.tallies.values():
        if tally.model == REPLAY:
            agreement.merge(tally.agreement)
    if agreement.same < agreement.compared:
        yield Remark(agreement.earlier, str(agreement))
        for change in changed_verdicts(summary, only_replays=True):
            yield Remark("changed verdict", change)
    yield from uncertain_remarks(summary)
    if sent_nothing(summary):
        yield Remark("sent", NOTHING_SENT)
        yield Remark("removed rows", REMOVED_ROWS)
