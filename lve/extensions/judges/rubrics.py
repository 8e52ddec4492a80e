"""Checks that ask a model to grade an answer by the test's criteria: `judge`, `closed_qa`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck, check_votes, majority_verdict, reasoning
from lve.extensions.judges.counted_answer import counted_answer
from lve.extensions.judges.verdict_reader import Reply, Schema, object_schema
from lve.extensions.judges.votes import conversation, of_replies, replies

MAX_CRITERIA = 20
MAX_GRADES = 101
_TEXT = {"type": "string"}
_YES = ("no", "yes")
_YES_OR_NO = {"type": "string", "enum": [*_YES]}


@dataclass(frozen=True, slots=True)
class Judge(AskingCheck):
    """Passes if a model (the role `judge`) finds that the answer meets all criteria.

    The judge sees the conversation and the answer. Without a `scale` it answers yes or no for each
    criterion; with a `scale` it gives a grade for each.
    """

    judge: str | tuple[str, ...] | Mapping[str, object]
    """The criteria: a text, a list of texts, or an object with the name and text of each."""
    scale: tuple[int, ...] | Mapping[str, object] | None = None
    """The lowest and the highest grade, such as `[1, 5]`, or an object with the meaning of each
    grade."""
    threshold: float | None = None
    """The lowest grade that passes; required with `scale`."""
    steps: tuple[str, ...] = ()
    """Steps that the judge follows in order before it decides."""
    with_prompt: bool = True
    """Whether the judge sees the conversation before the answer."""
    with_reference: bool = False
    """Whether the judge sees the data set's right answer."""
    votes: int = 1
    """How often the judge is asked, up to 25."""
    vote: Literal["majority", "mean"] = "majority"
    """Whether the majority of votes decides, or the mean of the grades for each criterion."""

    examples: ClassVar = (
        CheckExample(
            {"judge": "The answer is polite and names no price."},
            ("Thank you for asking! Our sales team will call you.",),
            ("It costs 20 dollars, obviously.",),
        ),
        CheckExample(
            {
                "judge": {
                    "clear": "A ten-year-old understands it.",
                    "correct": "What it says is true.",
                },
                "scale": [1, 5],
                "threshold": 4,
                "votes": 3,
            },
            ("Rain is water that falls from clouds.",),
            ("Rain is when fish get bored.",),
        ),
    )

    def __post_init__(self) -> None:
        criteria = self.criteria()
        if not criteria or not all(text.strip() for text in criteria.values()):
            raise ArgumentError("judge", "'judge' has no criterion, or an empty one")
        if len(criteria) > MAX_CRITERIA:
            raise ArgumentError("judge", f"'judge' has more than {MAX_CRITERIA} criteria")
        is_majority = self.vote == "majority"
        check_votes(self.votes, needs_odd=is_majority, alternative=", or `vote: mean`")
        low, high = self.bounds()
        if self.scale is None:
            if self.threshold is not None:
                hint = "add `scale: [1, 5]`, say"
                raise ArgumentError("threshold", "'threshold' needs a 'scale'", hint=hint)
        elif self.threshold is None:
            raise ArgumentError("scale", "'scale' needs a 'threshold': the least grade that passes")
        elif not low < self.threshold <= high:
            message = f"'threshold' is above {low} and at most {high}, not {self.threshold:g}"
            raise ArgumentError("threshold", message)

    def criteria(self) -> Mapping[str, str]:
        """Return name -> text of the criteria; those without a name are numbered from 1."""
        criteria = self.judge
        if isinstance(criteria, Mapping):
            return {str(name): str(text) for name, text in criteria.items()}
        texts = (criteria,) if isinstance(criteria, str) else criteria
        return {str(number): text for number, text in enumerate(texts, 1)}

    def grades(self) -> Mapping[int, str]:
        """Return grade -> meaning, in order; empty without a `scale`.

        Raises:
            ArgumentError: `scale` is invalid.
        """
        scale = self.scale
        if scale is None:
            return {}
        if isinstance(scale, Mapping):
            meanings = {_grade(name): str(text) for name, text in scale.items()}
            if len(meanings) < len(scale):
                raise ArgumentError("scale", "'scale' has a grade twice, written differently")
        elif len(scale) == 2 and scale[0] < scale[1] < scale[0] + MAX_GRADES:
            meanings = dict.fromkeys(range(scale[0], scale[1] + 1), "")
        else:
            message = f"'scale' is the lowest and the highest grade, not {list(scale)}"
            raise ArgumentError("scale", message, hint="write [1, 5], say")
        if not 2 <= len(meanings) <= MAX_GRADES:
            raise ArgumentError("scale", f"'scale' has from 2 to {MAX_GRADES} grades")
        return dict(sorted(meanings.items()))

    def bounds(self) -> tuple[int, int]:
        """Return the lowest and the highest grade; 0 and 1 without a `scale`."""
        grades = self.grades() or {0: "", 1: ""}
        return min(grades), max(grades)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        texts = dict(_texts(self, context, run))
        votes = replies(context, self._task(), texts, self._schema(), votes=self.votes)
        if self.vote == "mean":
            return self._mean_verdict(votes)
        return majority_verdict(of_replies(votes, self._own_verdict))

    def _own_verdict(self, reply: Reply) -> Verdict:
        return self._verdict(self._graded(reply), reasoning(reply))

    def _mean_verdict(self, votes: Sequence[Reply | CheckerError]) -> Verdict:
        """Return the verdict by the mean grades. Votes without a verdict count as none, if any
        grades of theirs would lead to the same verdict.

        Raises:
            CheckerError: they wouldn't.
        """
        read = [reply for reply in votes if not isinstance(reply, CheckerError)]
        graded, why = [self._graded(reply) for reply in read], reasoning(read[0])
        missing = len(votes) - len(read)
        filled = [dict.fromkeys(self.criteria(), float(grade)) for grade in self.bounds()]
        extremes = [self._verdict(self._mean([*graded, *[g] * missing]), why) for g in filled]
        if extremes[0].passed is not extremes[1].passed:
            raise next(reply for reply in votes if isinstance(reply, CheckerError))
        return self._verdict(self._mean(graded), why)

    def _task(self) -> str:
        grades = self.grades()
        lines = ["Grade ANSWER by each of these criteria:"]
        lines += [f"- {name}: {text}" for name, text in self.criteria().items()]
        if self.steps:
            lines += ["Do this, one after the other, in `reasoning`:"]
            lines += [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        if not grades:
            lines.append("`grades` says of each criterion whether the answer meets it: yes or no.")
        else:
            low, high = self.bounds()
            lines.append(f"`grades` has a grade for each, from {low} (worst) to {high} (best).")
            lines += [f"Grade {grade}: {text}" for grade, text in grades.items() if text]
        lines.append("First write your reasoning, in a few sentences, then the grades.")
        return "\n".join(lines)

    def _schema(self) -> Schema:
        grades = self.grades()
        grade = {"type": "integer", "enum": [*grades]} if grades else _YES_OR_NO
        each = object_schema(**dict.fromkeys(self.criteria(), grade))
        return object_schema(reasoning=_TEXT, grades=each)

    def _graded(self, reply: Reply) -> dict[str, float]:
        grades: Mapping[str, str | float] = reply["grades"]
        return {n: float(_YES.index(g)) if g in _YES else float(g) for n, g in grades.items()}

    def _mean(self, votes: Sequence[Mapping[str, float]]) -> dict[str, float]:
        return {n: sum(grades[n] for grades in votes) / len(votes) for n in self.criteria()}

    def _verdict(self, grades: Mapping[str, float], why: str) -> Verdict:
        low, high = self.bounds()
        threshold = self.threshold
        if threshold is None:
            threshold = 1.0 if self.vote == "majority" else 0.5
        score = sum((grade - low) / (high - low) for grade in grades.values()) / len(grades)
        good = all(grade >= threshold - 1e-9 for grade in grades.values())
        outcome = ", ".join(self._shown(name, grade) for name, grade in grades.items())
        if self.scale is not None:
            outcome = f"{outcome} of {low} to {high} (threshold {threshold:g})"
        return judged(good, f"{outcome}: {why}", round(score, 6))

    def _shown(self, name: str, grade: float) -> str:
        is_yes_or_no = self.scale is None and grade in (0.0, 1.0)
        text = _YES[int(grade)] if is_yes_or_no else f"{grade:.3g}"
        return text if len(self.criteria()) == 1 else f"{quoted(name, limit=40)} {text}"


def _grade(name: str) -> int:
    try:
        return int(name)
    except ValueError:
        message = f"'scale' has whole numbers as grades, not {quoted(name)}"
        raise ArgumentError("scale", message) from None


def _texts(check: Judge, context: CheckContext, run: int) -> Iterator[tuple[str, str]]:
    """Yield title and text of what the judge sees.

    Raises:
        CheckerError: `with_reference` is set, and there is no right answer.
    """
    if check.with_prompt:
        yield from conversation(context, run, "CONVERSATION").items()
    if check.with_reference:
        if context.reference is None:
            raise CheckerError(
                "the data set has no right answer to show the judge", code="missing_reference"
            )
        yield "RIGHT ANSWER", str(context.reference)
    yield "ANSWER", counted_answer(context, run)


@dataclass(frozen=True, slots=True)
class ClosedQa(AskingCheck):
    """Passes if a model (the role `judge`) finds that the answer to the question meets a
    criterion."""

    closed_qa: str
    """The criterion, such as `names the year of the first edition`."""
    votes: int = 1
    """How often the judge is asked, an odd number. The majority decides."""

    examples: ClassVar = (
        CheckExample(
            {"closed_qa": "It names a country, and that country is in Asia."},
            ("Japan.",),
            ("Chile.", "I don't know."),
        ),
    )

    def __post_init__(self) -> None:
        check_votes(self.votes, needs_odd=True)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        task = (
            "ANSWER was given to QUESTION. Does it meet this criterion?\n"
            f"{self.closed_qa}\n"
            "First write your reasoning, in a few sentences, then `meets`: yes or no."
        )
        texts = {
            **conversation(context, run, "QUESTION"),
            "ANSWER": counted_answer(context, run),
        }
        schema = object_schema(reasoning=_TEXT, meets=_YES_OR_NO)
        votes = replies(context, task, texts, schema, votes=self.votes)
        return majority_verdict(of_replies(votes, _meets))


def _meets(reply: Reply) -> Verdict:
    return judged(reply["meets"] == "yes", f"{reply['meets']}: {reasoning(reply)}")
