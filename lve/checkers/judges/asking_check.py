"""Base class of checks that ask a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.asking import UnansweredError
from lve.checkers.builtin_checker import Check, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.errors import CheckerError
from lve.escape import excerpt

Result = TypeVar("Result")
MAX_VOTES = 25
SHOWN_REASONING = 300
"""Characters of what a judge says that a reason shows; the journal has all of it."""


class AskingCheck(Check):
    """Judges the last answer of each run with a model's help. An instance passes if all of its
    runs do."""

    __slots__ = ()

    takes_answers: ClassVar[bool] = False

    @abstractmethod
    def check_run(self, context: CheckContext, run: int) -> Verdict:
        """Return the verdict on one run.

        Raises:
            UnansweredError: a model hasn't been asked yet.
            CheckerError: it can't answer.
        """

    def work(self, context: CheckContext) -> int | None:
        """Return a small number, once all is there that judging needs: before that, nobody knows
        what is to be judged."""
        try:
            self.check(context)
        except UnansweredError:
            raise
        except CheckerError:
            pass  # judging says so
        return 1000

    def check(self, context: CheckContext) -> Verdict:
        runs = range(len(context.transcripts))
        found = all_asked(partial(self.check_run, context, run) for run in runs)
        if len(found) == 1:
            return found[0]
        for number, verdict in enumerate(found, 1):
            if verdict.outcome != "passed":
                reason = f"run {number} of {len(found)}: {verdict.reason}"
                return Verdict(verdict.outcome, reason, verdict.score)
        return Verdict("passed", f"all {len(found)} runs: {found[0].reason}", found[0].score)


def all_asked(asks: Iterable[Callable[[], Result]]) -> list[Result]:
    """Return what functions give that ask; all of them ask before one is waited for.

    Raises:
        UnansweredError: one of them hasn't been answered yet.
        CheckerError: as the functions.
    """
    found: list[Result] = []
    unanswered: UnansweredError | None = None
    for ask in asks:
        try:
            found.append(ask())
        except UnansweredError as error:
            unanswered = error
    if unanswered is not None:
        raise unanswered
    return found


def check_votes(votes: int, *, needs_odd: bool) -> None:
    """Refuse a number of votes that can't decide.

    Raises:
        ArgumentError: it is refused.
    """
    if not 1 <= votes <= MAX_VOTES:
        raise ArgumentError("votes", f"'votes' is from 1 to {MAX_VOTES}, not {votes}")
    if needs_odd and votes % 2 == 0:
        hint = f"take {votes + 1}, or `vote: mean`"
        raise ArgumentError("votes", f"{votes} votes may have no majority", hint=hint)


def by_votes(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict of the majority, with the reason of its first vote and the mean score."""
    passed = sum(verdict.passed for verdict in verdicts)
    good = 2 * passed > len(verdicts)
    decisive = next(one for one in verdicts if one.passed is good)
    scores = [one.score for one in verdicts if one.score is not None]
    score = sum(scores) / len(scores) if scores else None
    if len(verdicts) == 1:
        return decisive
    return judged(good, f"{passed} of {len(verdicts)} votes pass: {decisive.reason}", score)


def reasoning(reply: Mapping[str, Any]) -> str:
    """Return what a judge says for its verdict, as reasons show it."""
    said = " ".join(str(reply.get("reasoning", "")).split())
    return excerpt(said, SHOWN_REASONING) or "no reasoning given"
