"""Checks of the order of the numbers in several answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any, ClassVar, Literal, NamedTuple

from lve.checkers.answers import Answer, answers_of, unknown_names
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numbers import quoted
from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.library.combined.across import ComparingCheck
from lve.checkers.names import KnownNames
from lve.errors import CheckerError
from lve.spec.model import Spec

MAX_NAMES = 100
"""Names in an order, each of which is compared with each."""


class _Numbered(NamedTuple):
    """An answer and the number that it settles on."""

    answer: Answer
    number: Fraction | None

    def __str__(self) -> str:
        return f"{float(self.number):g} ({self.answer.label})" if self.number is not None else ""


def _numbered(answer: Answer) -> _Numbered:
    found = final_numbers(answer.text)
    return _Numbered(answer, found[0] if found else None)


def _without_number(found: Sequence[_Numbered]) -> Verdict | None:
    """Return the verdict if an answer settles on no number."""
    for one in found:
        if one.number is None:
            why = f"{one.answer.label} settles on no number: {quoted(one.answer.text)}"
            return judged(False, why, 0.0)
    return None


@dataclass(frozen=True, slots=True)
class Monotone(ComparingCheck):
    """Passes if the numbers that the answers settle on rise (or fall) from one to the next: the
    turns of the only run, or the runs in their order."""

    monotone: Literal["rising", "falling"]
    """Which way they go."""
    by: tuple[float | str, ...] = ()
    """What they go with, a number for each answer, such as `["{year1}", "{year2}"]`. The
    answers are put into the order of these first; those to the same number may be in any order."""
    strict: bool = False
    """Whether equal numbers are wrong."""

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
                message = f"'by' has numbers, and {quoted(str(value))} is none"
                raise ArgumentError("by", message) from None

    def check(self, context: CheckContext) -> Verdict:
        found = [_numbered(answer) for answer in answers_of(context)]
        if self.by and len(self.by) != len(found):
            raise CheckerError(
                f"'by' has {len(self.by)} numbers for {len(found)} answers", code="missing_answer"
            )
        if wrong := _without_number(found):
            return wrong
        for one, other in self._neighbours(found):
            if not self._in_order(one.number, other.number):
                verb = "rise" if self.monotone == "rising" else "fall"
                strictly = " strictly" if self.strict else ""
                return judged(False, f"{one}, then {other}: answers should{strictly} {verb}")
        return judged(True, f"{len(found)} answers are in order")

    def _neighbours(self, found: Sequence[_Numbered]) -> Iterator[tuple[_Numbered, _Numbered]]:
        """Yield the pairs that have to be in order: of the answers to one number the last, with the
        first of those to the next."""
        upward = 1 if self.monotone == "rising" else -1
        by = [float(value) for value in self.by] or list(map(float, range(len(found))))
        levels = [
            [one for one, at in zip(found, by, strict=True) if at == x] for x in sorted({*by})
        ]
        for level in levels:
            level.sort(key=lambda one: upward * (one.number or 0))
        for before, after in pairwise(levels):
            yield before[-1], after[0]

    def _in_order(self, one: Any, other: Any) -> bool:
        if one == other:
            return not self.strict
        return bool(one < other) is (self.monotone == "rising")


@dataclass(frozen=True, slots=True)
class PairwiseOrder(ComparingCheck):
    """Passes if the numbers that the answers settle on have this order, pair by pair.

    The score is the share of the pairs that are in order. An answer without a number is in no
    order.
    """

    pairwise_order: tuple[str, ...]
    """Variables of answers, or names of runs, the one with the smallest number first."""
    threshold: float = 1.0
    """The share of the pairs that has to be in order."""
    ties: bool = False
    """Whether equal numbers are in order."""

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
        if not 2 <= len({*names}) == len(names) <= MAX_NAMES:
            message = f"'pairwise_order' has 2 to {MAX_NAMES} different names"
            raise ArgumentError("pairwise_order", message)
        if not 0 < self.threshold <= 1:
            message = f"'threshold' is more than 0 and at most 1, not {self.threshold}"
            raise ArgumentError("threshold", message)

    def name_errors(self, spec: Spec, known: KnownNames | None) -> list[ArgumentError]:
        return unknown_names(spec, "pairwise_order", self.pairwise_order)

    def check(self, context: CheckContext) -> Verdict:
        answers = answers_of(context)
        ordered = [self._named(name, answers) for name in self.pairwise_order]
        pairs = [pair for few, many in combinations(ordered, 2) for pair in product(few, many)]
        wrong = [pair for pair in pairs if not self._in_order(*pair)]
        score = 1 - len(wrong) / len(pairs)
        told = f"{len(pairs) - len(wrong)} of {len(pairs)} pairs are in order"
        if wrong:
            silent = _without_number(wrong[0])
            told += f": {silent.reason}" if silent else f": not {wrong[0][0]} and {wrong[0][1]}"
        return judged(score >= self.threshold - 1e-9, told, score)

    def _named(self, name: str, answers: Sequence[Answer]) -> list[_Numbered]:
        found = [_numbered(answer) for answer in answers if name in answer.names]
        if not found:
            raise CheckerError(
                f"there is no answer '{name}' to put into order", code="missing_answer"
            )
        return found

    def _in_order(self, one: _Numbered, other: _Numbered) -> bool:
        if one.number is None or other.number is None:
            return False
        return one.number < other.number or (self.ties and one.number == other.number)
