"""Finds the first sentence of an answer to which the others only add something: "K2 is 8,611 metres
high. It was first climbed in 1954."

A worked solution ends with its number, a statement begins with it. What follows a statement is an
addition, unless it concludes or corrects something, or has a number that comes of those before.
"""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.numerals.clauses import is_unknown
from lve.checkers.extract.numerals.quantity_patterns import has_quantity
from lve.checkers.extract.numerals.spelled_numbers import spelled_value
from lve.checkers.shape.passages import stated
from lve.checkers.shape.patterns import pattern

_STATES_NONE = re.compile(pattern("opening_without_statement"))
"""A first sentence that supposes something, or is corrected or used by what follows."""
_CONCLUDES = re.compile(pattern("after_opening_concludes"))
_SAME_THING = re.compile(pattern("after_opening_same_thing"))
"""How a sentence begins that says another number of the same thing: "It's 18.", "Of these"."""
_WOULD = re.compile(r"\bwould\b")
_WORDS = ((2, re.compile(pattern("twofold"))), (3, re.compile(pattern("threefold"))))
"""Words that stand for a number of a computation."""
_BREAK = re.compile(r"[.!?;]\s|[。！？；]")
"""Where a sentence may end."""
_DIGITS = re.compile(r"(?<![\w.,^])\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?")
_WORD = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
MAX_OPENED = 700
"""The most characters of an answer that is taken for a statement with additions."""
MAX_NUMBERS = 8
"""The most numbers of such an answer."""


def opening_sentence(plain: str) -> str | None:
    """Return the first sentence of an answer if it states a number, and others only add to it; None
    if the last one may state the number.

    Args:
        plain: the answer without marks; without boxes, announcements and corrections.
    """
    is_read = len(plain) <= MAX_OPENED and _BREAK.search(plain) is not None
    if not is_read or "=" in plain or "\n" in plain.strip():
        return None
    first, *later = [plain[start:end].strip() for start, end, *_ in stated(plain)][::-1] or [""]
    if not (has_quantity(first) and any(map(has_quantity, later))):
        return None
    if _STATES_NONE.search(first) or is_unknown(first):
        return None
    if any(_CONCLUDES.search(sentence) or _SAME_THING.match(sentence) for sentence in later):
        return None
    return None if _computes(first, later) else first


def _computes(first: str, later: list[str]) -> bool:
    """Return whether a number of later sentences is one of the first, or comes of those before."""
    before, text = _numbers(first), first
    for sentence in later:
        text = f"{text} {sentence}"
        for number in _numbers(sentence):
            if len(before) > MAX_NUMBERS or _comes_of(number, before, text):
                return True
            before.append(number)
    return False


def _numbers(text: str) -> list[Fraction]:
    """Return the numbers of a text in digits, and those in single English words."""
    words = filter(None, map(spelled_value, _WORD.findall(text)))
    return [*(Fraction(digits.replace(",", "")) for digits in _DIGITS.findall(text)), *words]


def _comes_of(number: Fraction, before: list[Fraction], text: str) -> bool:
    """Return whether a number is one of those before it, their sum, or the sum, difference,
    product, quotient or percentage of two."""
    if not _WOULD.search(text):
        before = before + [Fraction(n) for n, words in _WORDS if words.search(text)]
    if number != 1 and (number in before or number == sum(before)):
        return True
    if "squar" in text and any(number == n * n or n == number * number for n in before):
        return True
    for place, each in enumerate(before):
        others = {number - each, number + each}
        if each:
            percent = 100 * number / each
            others |= {number * each, number / each, percent, 100 - percent, percent - 100}
        if not others.isdisjoint(before[:place] + before[place + 1 :]):
            return True
    return False
