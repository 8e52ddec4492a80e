"""Checks that compare several answers: those of several runs, or of a conversation's turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, InnerCheck, Verdict
from lve.checkers.judging_limits import MAX_SHOWN, total_work
from lve.checkers.library.combined.meta import Combining, inner_verdict
from lve.checkers.shape.answer_parts import MAX_READ
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass, field
from lve.escape import quoted
from lve.extensions.several_answers.answers import (
    READERS,
    ComparedAnswer,
    Meaning,
    Reader,
    answers_of,
    one_of,
    unknown_answer_names,
)
from lve.plurals import amount, amount_of
from lve.spec.spec import Spec

_OPPOSITE = {"yes": "no", "no": "yes"}


class ComparingCheck(Check):
    """Base of checks that compare the answers of one instance."""

    __slots__ = ()

    compares_answers: ClassVar[bool] = True
    needs_several: ClassVar[bool] = True
    limit_s: ClassVar[float] = 30.0

    def work(self, context: CheckContext) -> int | None:
        texts = [text for run in context.transcripts for text in (*run.answers, run.response)]
        return sum(600 * min(len(text), MAX_READ) + 5 * len(text) for text in texts)


@dataclass(slots=True)
class _Group:
    """Answers that agree."""

    meaning: Meaning | None
    """What they say; None for answers without the value that is compared."""
    answers: list[ComparedAnswer] = field(default_factory=list)

    def shown(self, count: int) -> str:
        """Return the group as reasons show it; `count` is the number of all answers."""
        meaning = "nothing of the kind" if self.meaning is None else quoted(self.meaning.text)
        labels = [answer.label for answer in self.answers[:MAX_SHOWN]]
        more = ", ..." if len(self.answers) > MAX_SHOWN else ""
        return f"{meaning} in {len(self.answers)} of {count} ({', '.join(labels)}{more})"


def _grouped(answers: Sequence[ComparedAnswer], read: Reader) -> list[_Group]:
    """Return groups of answers that agree, the largest first. Answers for which `read` finds no
    meaning are the last group."""
    groups: list[_Group] = []
    silent = _Group(None)
    for answer in answers:
        meaning = read(answer.text)
        if meaning is None:
            silent.answers.append(answer)
            continue
        alike = (g for g in groups if g.meaning and g.meaning.values & meaning.values)
        group = next(alike, None)
        if group is None:
            groups.append(group := _Group(meaning))
        group.answers.append(answer)
    groups.sort(key=lambda group: -len(group.answers))
    return [*groups, silent] if silent.answers else groups


def _check_labels(name: str, value: object) -> None:
    """Check a list of labels; other values are ignored.

    Raises:
        ArgumentError: there are fewer than two labels, or an empty one.
    """
    if isinstance(value, tuple) and (len(value) < 2 or not all(map(str.strip, value))):
        raise ArgumentError(name, f"'{name}' is a list of at least two labels")


@dataclass(frozen=True, slots=True)
class Consistency(ComparingCheck, Combining):
    """Passes if the answers agree: those of several runs, or those of all turns if there is only
    one run.

    An answer without the compared value (no number, say) agrees with no other. The score is the
    share of the largest group of answers that agree.
    """

    consistency: Literal["text", "exact", "number", "yes_no"] | tuple[str, ...] | InnerCheck
    """What must agree: the `text` (apart from case, Markdown and the like), the `exact` text, the
    `number` that each answer settles on, whether it says yes or no (`yes_no`), which of a list of
    labels it settles on, or whether it passes a check such as `{contains: Paris}`."""
    threshold: float = 1.0
    """The lowest score that passes, above 0 and up to 1."""

    examples: ClassVar = (
        CheckExample(
            {"consistency": "number"},
            (("It's 42.", "**42**", "forty-two"),),
            (("42", "41", "42"), ("42", "No idea.")),
        ),
        CheckExample(
            {"consistency": ["positive", "negative"], "threshold": 0.6},
            (("Positive.", "It is positive.", "negative"),),
            (("positive", "negative"),),
        ),
        CheckExample(
            {"consistency": {"refusal": True}},
            (("I can't help with that.", "I'm sorry, but I can't help."),),
            (("I can't help with that.", "Sure! First, take a knife."),),
        ),
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        _check_labels("consistency", self.consistency)

    @classmethod
    def checks_in(cls, value: object) -> list[object]:
        return [value] if isinstance(value, Mapping) else []

    def work(self, context: CheckContext) -> int | None:
        if isinstance(self.consistency, str | tuple):
            return ComparingCheck.work(self, context)
        return _work_on_each(self.consistency, context)

    def check(self, context: CheckContext) -> Verdict:
        answers = answers_of(context)
        part = self.consistency
        if isinstance(part, str | tuple):
            read = READERS[part] if isinstance(part, str) else one_of(part)
            return self._compared(_grouped(answers, read), len(answers))
        verdicts = [inner_verdict(part, answer.alone(context)) for answer in answers]
        for answer, verdict in zip(answers, verdicts, strict=True):
            if verdict.outcome not in ("passed", "failed"):
                return replace(verdict, reason=f"{answer.label}: {verdict.reason}", score=None)
        groups = {
            outcome: _Group(Meaning(frozenset(), outcome)) for outcome in ("passed", "failed")
        }
        for answer, verdict in zip(answers, verdicts, strict=True):
            groups[verdict.outcome].answers.append(answer)
        by_size = sorted(groups.values(), key=lambda group: -len(group.answers))
        return self._compared([group for group in by_size if group.answers], len(answers))

    def _compared(self, groups: list[_Group], count: int) -> Verdict:
        most = 0 if groups[0].meaning is None else len(groups[0].answers)
        score = most / count
        if score == 1:
            assert groups[0].meaning is not None
            return judged(True, f"all {count} answers: {quoted(groups[0].meaning.text)}", score)
        answers = "; ".join(group.shown(count) for group in groups[:MAX_SHOWN])
        rest = len(groups) - MAX_SHOWN
        more = f"; and {amount(rest, 'other')}" if rest > 0 else ""
        scored = f"score {score:.3g} (threshold {self.threshold:g}): "
        prefix = "" if self.threshold == 1 else scored
        return judged(score >= self.threshold - 1e-9, f"{prefix}{answers}{more}", score)


@dataclass(frozen=True, slots=True)
class Majority(ComparingCheck, Combining):
    """Passes if most answers pass a check: those of several runs, or those of all turns if there is
    only one run.

    The score is the share of answers that pass. If an answer can't be judged, the verdict is an
    error only where that answer could decide it.
    """

    majority: InnerCheck
    """The check that each answer is judged by."""
    threshold: float | None = None
    """The lowest share of answers that must pass; by default more than half."""

    examples: ClassVar = (
        CheckExample(
            {"majority": {"number": 42}},
            (("42", "It's 42.", "41"),),
            (("42", "41", "40"), ("42", "41")),
        ),
        CheckExample(
            {"majority": {"contains": "Paris"}, "threshold": 0.5},
            (("Paris", "Rome"),),
            (("Paris", "Rome", "Bern"),),
        ),
    )

    def __post_init__(self) -> None:
        if self.threshold is not None:
            check_threshold(self.threshold)

    def work(self, context: CheckContext) -> int | None:
        return _work_on_each(self.majority, context)

    def check(self, context: CheckContext) -> Verdict:
        answers = answers_of(context)
        verdicts = [inner_verdict(self.majority, answer.alone(context)) for answer in answers]
        passed = sum(verdict.passed for verdict in verdicts)
        failed = sum(verdict.outcome == "failed" for verdict in verdicts)
        count, score = len(answers), passed / len(answers)
        reason = amount_of(passed, count, "answer", "passes")
        good = self._is_enough(passed / count)
        if not good and self._is_enough((count - failed) / count):
            unsure = next(v for v in verdicts if v.outcome not in ("passed", "failed"))
            return Verdict(unsure.outcome, f"{reason}, and one can't be judged: {unsure.reason}")
        pairs = zip(answers, verdicts, strict=True)
        wrong = (pair for pair in pairs if pair[1].outcome == "failed")
        first = next(wrong, None)
        why = f" ({first[0].label}: {first[1].reason})" if first else ""
        return judged(good, f"{reason}{why}", score)

    def _is_enough(self, share: float) -> bool:
        return share > 0.5 if self.threshold is None else share >= self.threshold - 1e-9


@dataclass(frozen=True, slots=True)
class NoSelfContradiction(ComparingCheck):
    """Passes unless two answers contradict each other: one says yes and another no, or they settle
    on different numbers or labels.

    Unlike with `consistency`, an answer that settles on nothing contradicts no other. Other kinds
    of contradictions are not found.
    """

    no_self_contradiction: Literal["yes_no", "number"] | tuple[str, ...] = "yes_no"
    """What is compared: whether answers say yes or no (`yes_no`), the `number` that they settle on,
    or which of a list of labels."""
    negated: tuple[str, ...] = ()
    """Variables of answers, or names of runs, that answer the opposite question: their no agrees
    with a yes of the others. Only with `yes_no`."""

    examples: ClassVar = (
        CheckExample(
            {"no_self_contradiction": "yes_no"},
            (("Yes, it is.", "Yes.", "Hard to say."),),
            (("Yes, it is.", "No, it isn't."),),
        ),
        CheckExample(
            {"no_self_contradiction": "yes_no", "negated": ["odd"]},
            ({"even": "Yes, 6 is even.", "odd": "No."},),
            ({"even": "Yes, 6 is even.", "odd": "Yes, 6 is odd."},),
        ),
    )

    def __post_init__(self) -> None:
        _check_labels("no_self_contradiction", self.no_self_contradiction)
        if self.negated and self.no_self_contradiction != "yes_no":
            raise ArgumentError("negated", "'negated' goes with `no_self_contradiction: yes_no`")

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return unknown_answer_names(spec, "negated", self.negated)

    def check(self, context: CheckContext) -> Verdict:
        answers, kind = answers_of(context), self.no_self_contradiction
        read = READERS[kind] if isinstance(kind, str) else one_of(kind)
        first: tuple[ComparedAnswer, Meaning] | None = None
        for answer in answers:
            meaning = read(answer.text)
            if meaning is None:
                continue
            if first is None:
                first = answer, meaning
            elif not self._values(*first) & self._values(answer, meaning):
                opening = f"{first[0].label} says {quoted(first[1].text)}"
                return judged(False, f"{opening}, {answer.label} says {quoted(meaning.text)}")
        return judged(True, f"none of the {len(answers)} answers contradicts another")

    def _values(self, answer: ComparedAnswer, meaning: Meaning) -> frozenset[object]:
        """Return the values that an answer can mean; yes and no are swapped if it is negated."""
        if not {*answer.names} & {*self.negated}:
            return meaning.values
        return frozenset(_OPPOSITE[str(value)] for value in meaning.values)


def _work_on_each(check: InnerCheck, context: CheckContext) -> int | None:
    """Return the work of judging each answer with `check`; None if it has no bound."""
    return total_work(check.work(answer.alone(context)) for answer in answers_of(context))
