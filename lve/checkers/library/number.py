"""Checks of the number that an answer settles on."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numerals.final_number import (
    final_amounts,
    final_numbers,
    final_quantities,
    final_range,
    number_of,
    number_place,
    shown_number,
)
from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.extract.quantities.units import units_by_name, units_named
from lve.checkers.shape.answer_parts import MAX_READ, nothing_stated
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.suggest import did_you_mean


@lru_cache(maxsize=1024)
def _possible_numbers(name: str, value: str | float) -> tuple[Fraction, ...]:
    """Return the values that a test's number can have; several for an ambiguous notation.

    Raises:
        ArgumentError: `value`, of the argument `name`, is no number.
    """
    try:
        return (Fraction(str(value)),)
    except (ValueError, ZeroDivisionError):
        values = number_of(str(value))
    if not values:
        raise ArgumentError(name, f"'{name}' is a number, not {quoted(str(value))}")
    return values


@dataclass(frozen=True, slots=True)
class Number(AnswerCheck):
    """Passes if the answer settles on this number, in any notation.

    A number is its sign, value and unit: `24 cm²` is 24, `$18,000` is never 18, `1 h 30 min` is 90
    (or 1.5), a date is its year. Separators, fractions, powers, percentages, LaTeX, all scripts'
    digits and words of 15 languages are understood. A solution ends with its number, a statement
    begins with it. Numbers only mentioned, in footnotes or before list items don't count. One that
    says which (chapter 5, 20 July, 8 am, Apollo 11) counts only where there is no other.
    """

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ

    number: str | float
    """The number: `42`, or a text such as `1/2`, `50%` or `$18`."""
    tolerance: float = 0.0
    """The largest accepted difference."""
    relative: float = 0.0
    """The largest accepted difference as a share of the number: 0.01 is one percent."""
    unit: str = ""
    """The number's unit, such as `km`, `m²`, `mph`, `°C` or `EUR`: `5000 m` then counts as 5. An
    amount in a unit of another kind, in an unknown unit, in another currency or of things (`5 kg`,
    `5 €`, `5 bananas`) doesn't count. A number without a unit is taken to have this unit. Upper and
    lower case matter where they differ in meaning: `mW`, `MW`."""

    examples: ClassVar = (
        CheckExample(
            {"number": 42},
            (
                "17 + 25 = **42**.",
                "Answer: 42\n\nConfidence: 95%",
                "\\boxed{42}",
                "forty-two",
                "42%",
            ),
            ("It's 42. No wait, it's 41.", "Between 40 and 45.", "42 or so? I'd say 43.", ""),
        ),
        CheckExample(
            {"number": 3.14159, "tolerance": 0.01}, ("About 3.14.",), ("About 3.2.", "22")
        ),
        CheckExample({"number": 5, "unit": "km"}, ("5,000 m", "5"), ("5 m", "5 kg", "5 bananas")),
        CheckExample({"number": 1234.5, "relative": 0.01}, ("1.240,00 €", "1,230"), ("1,200",)),
    )

    def __post_init__(self) -> None:
        _possible_numbers("number", self.number)
        if self.unit and not units_named(self.unit):
            hint = did_you_mean(self.unit, units_by_name())
            raise ArgumentError("unit", f"unknown unit {quoted(self.unit)}", hint=hint)
        for name in ("tolerance", "relative"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ArgumentError(name, f"'{name}' is 0 or more, not {getattr(self, name)}")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        right_numbers = _possible_numbers("number", self.number)
        unit = units_named(self.unit) if self.unit else ()
        numbers = final_amounts(response, unit) if unit else final_numbers(response)
        if not numbers:
            nothing = nothing_stated(response, "number")
            return judged(False, f"expected {self.number}, found {nothing}")
        place = number_place(response, unit)
        if numbers[0] == right_numbers[0]:
            return Verdict("passed", f"found {shown_number(numbers[0])}{place}")
        good = any(self._fits(value, right) for value in numbers for right in right_numbers)
        answered = " or ".join(map(shown_number, numbers[:3]))
        expected = "" if good else f"expected {self.number}, "
        return judged(good, f"{expected}found {answered}{place}")

    def _fits(self, value: Fraction, right: Fraction) -> bool:
        off = abs(value - right)
        if self.tolerance and off <= Fraction(self.tolerance):
            return True
        if self.relative and off <= abs(right) * Fraction(self.relative):
            return True
        is_repeating = off.denominator > 10**9
        return not off or (is_repeating and off <= abs(right) * Fraction(1, 10**9))


@dataclass(frozen=True, slots=True)
class InRange(AnswerCheck):
    """Passes if the number that the answer settles on lies in this range.

    `7/10` is the score 7 where the answer gives a score, or where the range ends between 1 and 10.
    `50%` is 50, or 0.5 if the range ends at 1 or below. An answer that is itself a range, such as
    "between 3 and 5", passes if all of it lies in this one.
    """

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ

    in_range: tuple[float, ...]
    """The lowest and the highest number that pass."""

    examples: ClassVar = (
        CheckExample(
            {"in_range": [1, 10]}, ("I'd say 7.", "10", "7/10"), ("It is 11.", "no idea", "$7,000")
        ),
    )

    def __post_init__(self) -> None:
        if len(self.in_range) != 2 or not self.in_range[0] <= self.in_range[1]:
            raise ArgumentError(
                "in_range", "'in_range' is a list of two numbers, the smaller first"
            )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        low, high = self.in_range
        quantities = final_quantities(response)
        if not quantities and (ends := final_range(response)):
            is_inside = low <= ends[0] and ends[1] <= high
            shown = " to ".join(map(shown_number, ends))
            return judged(is_inside, f"found {shown}, wanted {low:g} to {high:g}")
        if not quantities:
            return judged(False, f"found {nothing_stated(response, 'number')}")
        value = _placed(quantities[-1], high)
        place = f" ({quantities[-1].place})" if quantities[-1].place else ""
        reason = f"found {shown_number(value)}{place}, wanted {low:g} to {high:g}"
        return judged(low <= value <= high, reason)


def _placed(quantity: Quantity, high: float) -> Fraction:
    """Return the value of a quantity that a range is about: 7 of `7/10` if it is a score, and 0.5
    of `50%` if the range ends at 1."""
    value = quantity.values[-1]
    score, most = quantity.over, quantity.under
    if score is not None and most is not None and most >= high > 1:
        return score
    if quantity.others and high <= 1:
        return quantity.others[0]
    return value
