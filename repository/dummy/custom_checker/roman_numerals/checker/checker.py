"""Reads Roman numerals."""

from __future__ import annotations

from dataclasses import dataclass

from lve import CheckContext, Verdict

VALUES = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")),
    *((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)


def roman(number: int) -> str:
    """Return a number from 1 to 3999 in Roman numerals."""
    numeral = ""
    for value, letters in VALUES:
        count, number = divmod(number, value)
        numeral += letters * count
    return numeral


@dataclass(frozen=True)
class RomanNumeralChecker:
    """Passes if the answer is the parameter `number` as a Roman numeral."""

    ignore_case: bool = False

    def check(self, context: CheckContext) -> Verdict:
        found = context.response.strip().rstrip(".")
        expected = roman(int(context.parameters["number"]))
        same = found.upper() == expected if self.ignore_case else found == expected
        return Verdict("passed" if same else "failed", f"expected {expected}, found {found[:40]!r}")
