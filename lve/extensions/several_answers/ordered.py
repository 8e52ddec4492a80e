"""Checks of the order of the numbers in several answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numerals.final_number import final_numbers, shown_number
from lve.checkers.judging_limits import MAX_ITEMS
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.several_answers.across import ComparingCheck
from lve.extensions.several_answers.answers import ComparedAnswer, answers_of, unknown_answer_names
from lve.named_tuples import NamedTuple
from lve.plurals import amount, amount_of
from lve.spec.spec import Spec


class _Numbered(NamedTuple):
    """An answer and the number that it settles on."""

    answer: ComparedAnswer
    number: Fraction | None

    def __str__(self) -> str:
        return "" if self.number is None else f"{shown_number(self.number)} ({self.answer.label})"


def _numbered(answer: ComparedAnswer) -> _Numbered:
    numbers = final_numbers(answer.text)
    return _Numbered(answer, numbers[0] if numbers else None)


def _without_number(answers: Sequence[_Numbered]) -> Verdict | None:
    """Return `failed` if an answer settles on no number, else None."""
    for numbered in answers:
        if numbered.number is None:
            why = f"{numbered.answer.label} settles on no number: {quoted(numbered.answer.text)}"
            return judged(False, why, 0.0)
    return None


@dataclass(frozen=True, slots=True)
class Monotone(ComparingCheck):
    """Passes if the numbers that the answers settle on rise (or fall) from answer to answer: over
    the runs in their order, or over the turns if there is only one run."""

    monotone: Literal["rising", "falling"]
    """Whether the numbers must rise or fall."""
    by: tuple[float | str, ...] = ()
    """A number for each answer, such as `["{year1}", "{year2}"]`. The answers are sorted by these
    numbers first; answers with the same number may be in any order."""
    strict: bool = False
    """Whether equal numbers fail."""

    examples: ClassVar = (
        CheckExample(
            {"monotone": "rising"},
            (("About 3.", "3 or so. I'd say 4.", "10"),),
            (("3", "5", "4"), ("3", "many")),
        ),
        CheckExample(
            {"monotone": "falling", "by": [2030, 2010, 2020], "strict": True},
            (("1.2", "3.4", "2"),),
            (("1.2", "2", "2"),),
        ),
    )

    def __post_init__(self) -> None:
        for value in self.by:
            try:
                float(value)
            except ValueError:
                message = f"'by' has numbers, not {quoted(str(value))}"
                raise ArgumentError("by", message) from None

    def check(self, context: CheckContext) -> Verdict:
        answers = [_numbered(answer) for answer in answers_of(context)]
        if self.by and len(self.by) != len(answers):
            raise CheckerError(
                f"'by' has {amount(len(self.by), 'number')} for {amount(len(answers), 'answer')}",
                code="missing_answer",
            )
        if wrong := _without_number(answers):
            return wrong
        for first, second in self._neighbours(answers):
            if not self._in_order(first.number, second.number):
                verb = "rise" if self.monotone == "rising" else "fall"
                strictly = " strictly" if self.strict else ""
                return judged(False, f"{first}, then {second}: answers should{strictly} {verb}")
        return judged(True, f"{amount(len(answers), 'answer', 'is')} in order")

    def _neighbours(self, answers: Sequence[_Numbered]) -> Iterator[tuple[_Numbered, _Numbered]]:
        """Yield the pairs of answers that must be in order: the last answer for one number of `by`
        and the first answer for the next number."""
        upward = 1 if self.monotone == "rising" else -1
        by = [float(value) for value in self.by] or list(map(float, range(len(answers))))
        levels = [
            [answer for answer, at in zip(answers, by, strict=True) if at == x]
            for x in sorted({*by})
        ]
        for level in levels:
            level.sort(key=lambda answer: upward * (answer.number or 0))
        for before, after in pairwise(levels):
            yield before[-1], after[0]

    def _in_order(self, first: Any, second: Any) -> bool:
        if first == second:
            return not self.strict
        return bool(first < second) is (self.monotone == "rising")


@dataclass(frozen=True, slots=True)
class PairwiseOrder(ComparingCheck):
    """Passes if the numbers that the answers settle on have this order, pair by pair.

    The score is the share of pairs that are in order. A pair is not in order if an answer has no
    number.
    """

    pairwise_order: tuple[str, ...]
    """Variables of answers, or names of runs, starting with the smallest number."""
    threshold: float = 1.0
    """The lowest score that passes, above 0 and up to 1."""
    ties: bool = False
    """Whether equal numbers count as in order."""

    examples: ClassVar = (
        CheckExample(
            {"pairwise_order": ["mouse", "cat", "horse"]},
            ({"horse": "500 kg", "mouse": "0.02 kg", "cat": "4 kg"},),
            ({"horse": "500 kg", "mouse": "5 kg", "cat": "4 kg"},),
        ),
        CheckExample(
            {"pairwise_order": ["mouse", "cat", "horse"], "threshold": 0.6},
            ({"horse": "500 kg", "mouse": "5 kg", "cat": "4 kg"},),
            ({"horse": "heavy", "mouse": "1 kg", "cat": "4 kg"},),
        ),
    )

    def __post_init__(self) -> None:
        names = self.pairwise_order
        if not 2 <= len({*names}) == len(names) <= MAX_ITEMS:
            message = f"'pairwise_order' has 2 to {MAX_ITEMS} different names"
            raise ArgumentError("pairwise_order", message)
        check_threshold(self.threshold)

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return unknown_answer_names(spec, "pairwise_order", self.pairwise_order)

    def check(self, context: CheckContext) -> Verdict:
        answers = answers_of(context)
        ordered = [self._named(name, answers) for name in self.pairwise_order]
        pairs = [pair for few, many in combinations(ordered, 2) for pair in product(few, many)]
        wrong = [pair for pair in pairs if not self._in_order(*pair)]
        score = 1 - len(wrong) / len(pairs)
        reason = f"{amount_of(len(pairs) - len(wrong), len(pairs), 'pair', 'is')} in order"
        if wrong:
            without = _without_number(wrong[0])
            why = without.reason if without else f"not {wrong[0][0]} and {wrong[0][1]}"
            reason = f"{reason}: {why}"
        return judged(score >= self.threshold - 1e-9, reason, score)

    def _named(self, name: str, answers: Sequence[ComparedAnswer]) -> list[_Numbered]:
        numbered = [_numbered(answer) for answer in answers if name in answer.names]
        if not numbered:
            raise CheckerError(
                f"there is no answer '{name}' to put into order", code="missing_answer"
            )
        return numbered

    def _in_order(self, lower: _Numbered, higher: _Numbered) -> bool:
        if lower.number is None or higher.number is None:
            return False
        return lower.number < higher.number or (self.ties and lower.number == higher.number)
