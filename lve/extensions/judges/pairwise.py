"""The check that asks a model which of two answers is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.extensions.judges.asking_check import AskingCheck, ask_all, check_votes, reasoning
from lve.extensions.judges.counted_answer import counted_answer, counted_text
from lve.extensions.judges.verdict_reader import Reply, object_schema
from lve.extensions.judges.votes import conversation, replies

_ORDERS = ("first", "second")
_SCHEMA = object_schema(
    reasoning={"type": "string"}, better={"type": "string", "enum": ["first", "equal", "second"]}
)


@dataclass(frozen=True, slots=True)
class Pairwise(AskingCheck):
    """Passes if a model (the role `judge`) finds the answer better than another one.

    The judge is asked with the answers in both orders, so that an answer doesn't win because of its
    position. The score is 1 for a win in both orders, 0.5 for a tie, 0 for a loss. The reason says
    if the judge always prefers the answer in the same position.
    """

    pairwise: str
    """The criterion: what makes an answer better."""
    against: str | None = None
    """The other answer, such as `{column}`; by default the data set's right answer."""
    recorded: bool = False
    """Whether the other answer is the one that is recorded with the row."""
    ties: Literal["fail", "pass", "error"] = "fail"
    """What becomes of an answer that is equally good, or that the judge prefers in one of the two
    orders only."""
    votes: int = 1
    """How often the judge is asked in each order."""

    examples: ClassVar = (
        CheckExample(
            {"pairwise": "It is easier to understand.", "against": "Rain is precipitation."},
            ("Rain is water that falls from clouds.",),
            ("Rain is hydrometeoric deposition.",),
        ),
    )

    def __post_init__(self) -> None:
        check_votes(self.votes, needs_odd=False)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        own, other = counted_answer(context, run), self._other(context, run)
        if own.strip() == other.strip():
            return self._tied("a tie: both answers are the same")
        asks = [partial(self._asked, context, run, own, other, place) for place in _ORDERS]
        by_order = dict(zip(_ORDERS, ask_all(asks), strict=True))
        score = _score(by_order)
        why = "; ".join(
            f"standing {place}: {_shown(votes, place)}" for place, votes in by_order.items()
        )
        why = f"{_position_bias(by_order)}{why}"
        if score == 0.5:
            return self._tied(f"a tie: {why}")
        result = "better" if score > 0.5 else "worse"
        return judged(score > 0.5, f"{result}: {why}", round(score, 6))

    def _tied(self, reason: str) -> Verdict:
        if self.ties == "error":
            raise CheckerError(f"{reason} (`ties: error`)", code="judge")
        return judged(self.ties == "pass", reason, 0.5)

    def _asked(
        self, context: CheckContext, run: int, own: str, other: str, place: str
    ) -> list[Reply | CheckerError]:
        """Return the judge's replies with the answer `own` in this position."""
        task = (
            "Two answers were given to QUESTION. Which one is better by this?\n"
            f"{self.pairwise}\n"
            "Their order and length mean nothing. First write your reasoning, in a few sentences, "
            "then `better`: first, second, or equal."
        )
        pair = (own, other) if place == "first" else (other, own)
        texts: Mapping[str, str] = {
            **conversation(context, run, "QUESTION"),
            "FIRST ANSWER": pair[0],
            "SECOND ANSWER": pair[1],
        }
        return replies(context, task, texts, _SCHEMA, votes=self.votes)

    def _other(self, context: CheckContext, run: int) -> str:
        if self.against is not None:
            return self.against
        if not self.recorded:
            if context.reference is None:
                raise CheckerError(
                    "there is no other answer: give `against`, `recorded: true`, or a data set "
                    "with right answers",
                    code="missing_reference",
                )
            return str(context.reference)
        if run >= len(context.recorded):
            raise CheckerError(
                "the row has no recorded answer to compare with", code="missing_reference"
            )
        answers = context.recorded[run]
        other = answers if isinstance(answers, str) else str([*answers.values()][-1])
        return counted_text(other) or ""


def _score(by_order: Mapping[str, Sequence[Reply | CheckerError]]) -> float:
    """Return the mean points of the votes that have a verdict.

    Raises:
        CheckerError: the other votes could change who wins.
    """
    votes = [(reply, place) for place, replies in by_order.items() for reply in replies]
    problems = [reply for reply, _ in votes if isinstance(reply, CheckerError)]
    points = [_points(r, place) for r, place in votes if not isinstance(r, CheckerError)]
    half = len(votes) / 2
    if problems and sum(points) <= half <= sum(points) + len(problems):
        raise problems[0]
    return sum(points) / len(points)


def _position_bias(by_order: Mapping[str, Sequence[Reply | CheckerError]]) -> str:
    """Return a note if all votes of both orders prefer the answer in the same position."""
    preferred = {
        str(reply["better"])
        for replies in by_order.values()
        for reply in replies
        if not isinstance(reply, CheckerError)
    }
    if len(preferred) > 1 or preferred == {"equal"}:
        return ""
    return f"the judge always prefers the {preferred.pop()} answer, whichever it is; "


def _points(reply: Reply, place: str) -> float:
    better = reply["better"]
    return 0.5 if better == "equal" else float(better == place)


def _shown(votes: Sequence[Reply | CheckerError], place: str) -> str:
    reply = next(reply for reply in votes if not isinstance(reply, CheckerError))
    comparison = {1.0: "better", 0.5: "equal", 0.0: "worse"}[_points(reply, place)]
    return f"{comparison} ({reasoning(reply)})"
