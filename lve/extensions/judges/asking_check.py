"""Base class of checks that ask a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import UnansweredError, work_of_asking
from lve.checkers.usable_names import ArgNames
from lve.errors import CheckerError
from lve.escape import excerpt
from lve.extensions.judges.counted_answer import NoAnswerError
from lve.plurals import amount_of

Result = TypeVar("Result")
MAX_VOTES = 25
SHOWN_REASONING = 300
"""The most characters of a judge's reasoning that a reason shows. The journal has all of it."""


class AskingCheck(Check):
    """Judges the last answer of each run by asking a model. An instance passes if all of its runs
    pass."""

    __slots__ = ()

    takes_answers: ClassVar[bool] = False
    worst_score: ClassVar[float] = 0.0
    """The score of an answer that isn't there."""

    @abstractmethod
    def check_run(self, context: CheckContext, run: int) -> Verdict:
        """Return the verdict on one run.

        Raises:
            UnansweredError: a question hasn't been asked yet.
            CheckerError: the model failed.
        """

    def work(self, context: CheckContext) -> int | None:
        return work_of_asking(partial(self.check, context))

    def check(self, context: CheckContext) -> Verdict:
        runs = range(len(context.transcripts))
        verdicts = ask_all(partial(self._check_run, context, run) for run in runs)
        if len(verdicts) == 1:
            return verdicts[0]
        for number, verdict in enumerate(verdicts, 1):
            if verdict.outcome != "passed":
                reason = f"run {number} of {len(verdicts)}: {verdict.reason}"
                return Verdict(verdict.outcome, reason, verdict.score)
        first = verdicts[0]
        return Verdict("passed", f"all {len(verdicts)} runs: {first.reason}", first.score)

    def _check_run(self, context: CheckContext, run: int) -> Verdict:
        try:
            return self.check_run(context, run)
        except NoAnswerError:
            reason = "there is no answer: the reasoning was cut off"
            return judged(False, reason, self.worst_score)


def unknown_names(
    argument: str, needed: Iterable[str], arg_names: ArgNames | None
) -> list[ArgumentError]:
    """Return an error for each name in a template of an argument that a row doesn't have."""
    return [
        ArgumentError(argument, f"{argument!r} has {{{name}}}: no {arg_names.noun}")
        for name in sorted(needed)
        if arg_names is not None and name not in arg_names
    ]


def ask_all(asks: Iterable[Callable[[], Result]]) -> list[Result]:
    """Return the results of functions that ask models. All are called even if an answer is missing,
    so that all questions are asked at once.

    Raises:
        UnansweredError: a function's question hasn't been asked yet.
        CheckerError: raised by a function.
    """
    results: list[Result] = []
    unanswered: UnansweredError | None = None
    for ask in asks:
        try:
            results.append(ask())
        except UnansweredError as error:
            unanswered = error
    if unanswered is not None:
        raise unanswered
    return results


def check_votes(votes: int, *, needs_odd: bool, alternative: str = "") -> None:
    """Check a number of votes.

    Args:
        votes: the number.
        needs_odd: whether it must be odd, so that there is a majority.
        alternative: what else the hint for an even number suggests.

    Raises:
        ArgumentError: the number is out of range, or even where it must be odd.
    """
    if not 1 <= votes <= MAX_VOTES:
        raise ArgumentError("votes", f"'votes' is from 1 to {MAX_VOTES}, not {votes}")
    if needs_odd and votes % 2 == 0:
        message = f"{votes} votes may have no majority"
        raise ArgumentError("votes", message, hint=f"take {votes + 1}{alternative}")


def majority_verdict(votes: Sequence[Verdict | CheckerError]) -> Verdict:
    """Return the majority's verdict, with the reason of its first vote and the mean score of all
    votes that could be read.

    Args:
        votes: the verdict of each vote, or why it has none.

    Raises:
        CheckerError: so many votes have no verdict that there is no majority.
    """
    verdicts = [vote for vote in votes if isinstance(vote, Verdict)]
    passed = sum(verdict.passed for verdict in verdicts)
    good = 2 * passed > len(votes)
    if not good and 2 * (len(verdicts) - passed) <= len(votes):
        raise next(vote for vote in votes if isinstance(vote, CheckerError))
    decisive = next(v for v in verdicts if v.passed is good)
    scores = [v.score for v in verdicts if v.score is not None]
    score = sum(scores) / len(scores) if scores else None
    if len(votes) == 1:
        return decisive
    unread = len(votes) - len(verdicts)
    note = f" ({unread} without a verdict)" if unread else ""
    count = amount_of(passed, len(votes), "vote", "passes")
    return judged(good, f"{count}{note}: {decisive.reason}", score)


def reasoning(reply: Mapping[str, object]) -> str:
    """Return the judge's reasoning as reasons show it: in one line, shortened."""
    text = " ".join(str(reply.get("reasoning", "")).split())
    return excerpt(text, SHOWN_REASONING) or "no reasoning given"
