"""Finds the numbers in a text, in any notation: signs, separators, fractions, powers, percent,
magnitudes. An ambiguous notation has two values: `1.234` is 1234 in German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from lve.checkers.extract.numerals.spelled_numbers import spelled_numbers
from lve.checkers.judging_limits import MAX_DIGITS
from lve.data_classes import dataclass

_MAGNITUDES = {
    "k": 10**3, "thousand": 10**3, "tausend": 10**3, "mil": 10**3, "mille": 10**3, "千": 10**3,
    "万": 10**4, "萬": 10**4, "lakh": 10**5, "m": 10**6, "mn": 10**6, "mio": 10**6,
    "million": 10**6, "millionen": 10**6, "millions": 10**6, "millones": 10**6, "milhões": 10**6,
    "milioni": 10**6, "百万": 10**6, "crore": 10**7, "亿": 10**8, "億": 10**8, "b": 10**9,
    "bn": 10**9, "billion": 10**9, "billions": 10**9, "milliarden": 10**9, "milliards": 10**9,
    "mrd": 10**9, "t": 10**12, "trillion": 10**12, "trillions": 10**12, "dozen": 12,
}  # fmt: skip
_LETTERS = {"k": "[kK]", "m": "M", "b": "B", "t": "T", "bn": "[bB]n", "mn": "[mM]n"}
_WORDS = "|".join(
    sorted((f"(?i:{w})" for w in _MAGNITUDES if w not in _LETTERS), key=len, reverse=True)
)
_TOKEN = re.compile(
    r"""
    (?P<sign> (?: (?<![\w.)\]}%]) | (?<=\bis) | (?<=[=:]) ) [-+] (?P<apart> [ ]? )
       | (?<!\w) (?i:minus|negative|negativ|menos|moins|负) [ ]? )?
    (?: \\?[$€£¥₹] [ ]? )?
    (?: \\[dtc]?frac [ ]? (?: \{ [ ]? (?P<over> -?\d[\d,]{0,30} (?:\.\d{1,30})? ) [ ]? \}
                           \{ [ ]? (?P<under> \d[\d,]{0,30} ) [ ]? \}
                        | (?P<over1> \d ) [ ]? (?P<under1> \d ) )
      | (?P<digits> \d+ (?: [.,'_ ] \d+ )* | (?<![\d.]) \.\d+ )
    )
    """,
    re.VERBOSE,
)
_TAIL = re.compile(
    rf"""
    (?P<slash> [ ]?/[ ]? (?P<denominator> \d{{1,30}} ) (?![\d/]|\.\d) )?
    (?: (?P<e> [eE] (?P<exponent_e> [+-]?\d{{1,4}} ) (?!\w) )
      | [ ]? (?: [×*·x] | \\times | \\cdot ) [ ]? 10 [ ]? (?: \^ | \*\* ) [ ]? \{{? [ ]?
        (?P<exponent> [-+]?\d{{1,4}} ) [ ]? \}}?
      | (?: \^ | \*\* ) [ ]? \{{? (?P<power> -?\d{{1,3}} ) \}}? (?!\d|\.\d) )?
    (?: [ ]? \\? (?P<percent> % | \bpercent\b | (?i:prozent|pour[ ]cent|por[ ]ciento)\b )
      | (?: [ ]? (?P<magnitude> {_WORDS} ) | (?P<letter> [kKMBT] | [bB]n | [mM]n ) ) (?![A-Za-z]) )?
    """,
    re.VERBOSE,
)
_MIXED = re.compile(
    r"(\d{1,9})[ ](?:(\d{1,4})[ ]?/[ ]?(\d{1,4})(?![\d/])"
    r"|and an?[ ](?P<part>half|third|quarter)(?!\w))"
    rf"(?:[ ](?P<magnitude>{_WORDS})(?![A-Za-z]))?"
)
"""`2 1/2`, `2 and a half million`."""
_NAMED_PARTS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}


_ENDS = frozenset(("", *".,;:!?)\n"))
"""Characters after a number without denominator, power, percent or magnitude."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text."""

    start: int
    end: int
    values: tuple[Fraction, ...]
    """Its possible values, the most likely first; several if its notation is ambiguous."""
    is_word: bool = False
    """Whether it is written in words."""


def numbers_in(text: str, *, comma_is_decimal: bool | None = None) -> list[Number]:
    """Return the numbers in a text, in order.

    Args:
        text: a unified text (`lve.checkers.extract.plain_text`).
        comma_is_decimal: whether the comma is the decimal point and `.` separates thousands; None
            if that is unknown.
    """
    in_digits = [number for number in _digits(text, comma_is_decimal) if number.values]
    covered = {place for number in in_digits for place in range(number.start, number.end)}
    words = [
        Number(start, end, (value,), is_word=True)
        for start, end, value in spelled_numbers(text)
        if start not in covered and end - 1 not in covered
    ]
    return sorted([*in_digits, *words], key=lambda number: number.start)


def _digits(text: str, comma_is_decimal: bool | None) -> Iterator[Number]:
    place = 0
    while (match := _TOKEN.search(text, place)) is not None:
        start, place = match.start(), match.end()
        if match["digits"] is None:
            yield _fraction(text, match)
            continue
        if place - start > MAX_DIGITS:
            continue
        first = match.start("digits")
        if first and (text[first - 1].isalpha() and text[first - 1].isascii()):
            continue  # B12
        if text[place : place + 1] in _ENDS and match["digits"].isdecimal():  # most numbers
            yield Number(start, place, _signed(match, _whole(match["digits"]), text))
            continue
        mixed = _MIXED.match(text, first)
        if mixed is not None:
            place = mixed.end()
            yield Number(start, place, _signed(match, (_mixed(mixed),), text))
            continue
        tail = _TAIL.match(text, place)
        if tail is None or (tail["slash"] and text[first - 1 : first] == "/"):  # a date
            tail = _TAIL.match("")
            assert tail is not None
        for begin, end, values in _readings(match["digits"], first, comma_is_decimal):
            is_last = end == match.end("digits")
            if is_last:
                values, place = _with_tail(values, tail), max(place, tail.end())
            if begin == first:
                values = _signed(match, values, text)
            yield Number(
                start if begin == first else begin,
                place if is_last else end,
                values,
            )


@lru_cache(maxsize=4096)
def _whole(digits: str) -> tuple[Fraction, ...]:
    return (Fraction(int(digits)),)


def _signed(match: re.Match[str], values: tuple[Fraction, ...], text: str) -> tuple[Fraction, ...]:
    sign = match["sign"]
    if not sign or sign[0] == "+":
        return values
    if sign[0] != "-":
        return tuple(-value for value in values)
    before = text[: match.start()].rstrip(" ")
    follows = before.endswith((*"=:({[,$", "is"))
    if match["apart"] and not follows:
        return values  # a dash, or the mark of a list
    return tuple(-value for value in values)


def _fraction(text: str, match: re.Match[str]) -> Number:
    over = (match["over"] or match["over1"]).replace(",", "")
    under = (match["under"] or match["under1"]).replace(",", "")
    values = _signed(match, (_ratio(over, under),), text) if int(under) else ()
    return Number(match.start(), match.end(), values)


def _mixed(match: re.Match[str]) -> Fraction:
    part = match["part"]
    value = Fraction(match[1]) + (_NAMED_PARTS[part] if part else _ratio(match[2], match[3]))
    return value * _MAGNITUDES.get((match["magnitude"] or "").lower(), 1)


def _ratio(over: str, under: str) -> Fraction:
    return Fraction(over) / int(under) if int(under) else Fraction(0)


def _with_tail(values: tuple[Fraction, ...], tail: re.Match[str]) -> tuple[Fraction, ...]:
    """Return the values after applying what follows the digits: a denominator, power, percent or
    magnitude."""
    if tail["slash"]:
        if not int(tail["denominator"]):
            return ()
        values = tuple(value / int(tail["denominator"]) for value in values)
    exponent = tail["exponent_e"] or tail["exponent"]
    if exponent is not None:
        if abs(int(exponent)) > MAX_DIGITS:
            return ()
        values = tuple(value * Fraction(10) ** int(exponent) for value in values)
    elif tail["power"] is not None:
        values = tuple(_power(value, int(tail["power"])) for value in values)
    if tail["percent"]:
        return (*values, *(value / 100 for value in values))
    size = tail["magnitude"] or tail["letter"]
    return tuple(value * _MAGNITUDES[size.lower()] for value in values) if size else values


def _power(base: Fraction, exponent: int) -> Fraction:
    if abs(exponent) > MAX_DIGITS or base.numerator.bit_length() * abs(exponent) > 4000:
        return base
    return base**exponent if base or exponent > 0 else base


def _readings(
    digits: str, start: int, comma_is_decimal: bool | None
) -> Iterator[tuple[int, int, tuple[Fraction, ...]]]:
    """Yield start, end and values of the numbers in digits with separators: one number, or several
    if the separators don't fit one."""
    values = _grouped(digits, comma_is_decimal)
    if values is not None:
        yield start, start + len(digits), values
        return
    for separator in (" ", ","):
        if separator in digits:
            for part in re.finditer(rf"[^{separator}]+", digits):
                yield from _readings(part[0], start + part.start(), comma_is_decimal)
            return


def _grouped(digits: str, comma_is_decimal: bool | None) -> tuple[Fraction, ...] | None:
    marks = re.sub(r"\d", "", digits)
    if not marks:
        return (Fraction(digits),)
    kinds = list(dict.fromkeys(marks))
    parts = re.split(r"[.,'_ ]", digits)
    plain = Fraction("".join(parts))
    if len(kinds) == 1 and len(marks) > 1:
        if _in_groups(parts):
            return (plain,)
        return () if kinds[0] in "." or _odd(parts) else None
    if len(kinds) == 1:
        return _once(kinds[0], parts, plain, comma_is_decimal)
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
    mark: str, parts: list[str], plain: Fraction, comma_is_decimal: bool | None
) -> tuple[Fraction, ...] | None:
    whole, rest = parts
    is_group = len(rest) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
    if mark in "_'":
        return (plain,)
    if mark == " ":
        return (plain,) if is_group else None
    decimal = Fraction(f"{whole or 0}.{rest}")
    if not is_group:
        return (decimal,)
    if comma_is_decimal is None and mark == ".":
        return (decimal, plain)
    if comma_is_decimal is None:
        return (plain, decimal)
    return (plain,) if (mark == ".") is comma_is_decimal else (decimal,)


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
