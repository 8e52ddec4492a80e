"""Reads digits with separators: `1,234.5`, `1.234,5`, `12,34,567`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from lve.checkers.shape.patterns import pattern

Values = tuple[Fraction, ...]
"""The possible values of a number, the most likely first."""


@lru_cache(maxsize=4096)
def whole(digits: str) -> Values:
    """Return the value of digits without separators."""
    return (Fraction(int(digits)),)


_EUROPEAN = re.compile(pattern("decimal_comma_words"))
_ENGLISH = re.compile(pattern("decimal_point_words"))


@lru_cache(maxsize=4)
def has_decimal_comma(text: str) -> bool | None:
    """Return whether the decimal point of a text's language is a comma; None if that is unknown."""
    if _ENGLISH.search(text):
        return False
    return True if _EUROPEAN.search(text) else None


def readings(
    digits: str, start: int, comma_is_decimal: bool | None, *, is_money: bool = False
) -> Iterator[tuple[int, int, Values]]:
    """Yield start, end and values of the numbers in digits with separators: one number, or several
    if the separators don't fit one.

    Args:
        digits: digits and separators.
        start: where they stand.
        comma_is_decimal: whether the comma is the decimal point and `.` separates thousands; None
            if that is unknown.
        is_money: whether it is an amount of money, which has no three decimals.
    """
    values = _grouped(digits, comma_is_decimal, is_money)
    if values is not None:
        yield start, start + len(digits), values
        return
    for separator in (" ", ","):
        if separator in digits:
            for part in re.finditer(rf"[^{separator}]+", digits):
                yield from readings(
                    part[0], start + part.start(), comma_is_decimal, is_money=is_money
                )
            return


def _grouped(digits: str, comma_is_decimal: bool | None, is_money: bool) -> Values | None:
    if digits.isdecimal():
        return whole(digits)
    marks = re.sub(r"\d", "", digits)
    kinds = list(dict.fromkeys(marks))
    parts = re.split(r"[.,'_ ]", digits)
    plain = Fraction("".join(parts))
    if len(kinds) == 1 and len(marks) > 1:
        if _in_groups(parts):
            return (plain,)
        return () if kinds[0] in "." or _odd(parts) else None
    if len(kinds) == 1:
        return _once(kinds[0], parts, comma_is_decimal, is_money)
    if (
        len(kinds) == 2
        and marks.count(kinds[1]) == 1
        and kinds[1] in ".,"
        and marks[-1] == kinds[1]
    ):
        if _in_groups(parts[:-1]):
            return (Fraction(f"{''.join(parts[:-1])}.{parts[-1]}"),)
        return None
    return None if " " in kinds or "," in kinds else ()


def _once(
    mark: str, parts: list[str], comma_is_decimal: bool | None, is_money: bool
) -> Values | None:
    first, rest = parts
    plain = Fraction(first + rest)
    is_group = len(rest) == 3 and 1 <= len(first) <= 3 and not first.startswith("0")
    if mark in "_'":
        return (plain,)
    if mark == " ":
        return (plain,) if is_group else None
    decimal = Fraction(f"{first or 0}.{rest}")
    if not is_group:
        return (decimal,)
    if mark == ",":
        return (decimal,) if comma_is_decimal and not is_money else (plain,)
    if comma_is_decimal is None:
        return (plain,) if is_money else (decimal, plain)
    return (plain,) if comma_is_decimal else (decimal,)


def _in_groups(parts: list[str]) -> bool:
    """Return whether digits are in groups of thousands: of three digits, or the Indian way."""
    first, *others, last = parts if len(parts) > 1 else (*parts, "000")
    if not 1 <= len(first) <= 3 or len(last) != 3 or (first.startswith("0") and first != "0"):
        return False
    return all(len(part) == 3 for part in others) or (
        len(first) <= 2 and all(len(part) == 2 for part in others)
    )


def _odd(parts: list[str]) -> bool:
    """Return whether digits look like a number with invalid groups: `1,234,56`."""
    return any(len(part) == 3 for part in parts[1:])
