"""Selects, of a sentence's numbers, those that can be what it states: not terms, parts, details or
what is denied."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from lve.checkers.extract.numerals.clauses import CONCLUDED, EQUALS, is_denied
from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.extract.quantities.units import converted
from lve.checkers.shape.patterns import pattern

_PREPOSITION = re.compile(pattern("preposition"))
"""What makes a number a detail of the one before it."""
_WORD = re.compile(r"(?!and|und|et)[^\W\d_]{2}")
_INTRODUCES = re.compile(r"[:;,(=]|[ ]-[ ]|namely|i\.e\.")
_RESULTS = re.compile(pattern("before_result"))
OF_WHOLE = re.compile(pattern("of_whole"))
_CLAUSE_END = re.compile(r",(?!\d)|[;:=]|\band\b")
_TURNS = re.compile(r"(?<!\w)(?:but|so|thus|therefore|hence)(?!\w)")
_ASSUMED = re.compile(r"(?<!\w)(?:assuming|given|where|provided)(?!\w)")
_SAME = re.compile(pattern("same"))
"""Between a quantity and the same in another unit."""
_WHOLE = re.compile(pattern("whole"))
"""Before a number of which the next one is a part: "Of the 30 students, 18"."""
_OTHER_NOUN = re.compile(r"(?: [a-z]+){1,3}, ")
"""Between a number and that of other things: "39 plays, 154 sonnets"."""
_LISTED = re.compile(r"\s*(?:[,;]|and|und|et|y|e|or|&|,\s?and)\s*(?:[a-z]\w? = )?")
_ALONE = ("only ", "just ", "exactly ")
_FROM = re.compile(r"(?i)(?<!\w)(?:from|von|de|da|от|с) [^\w\s]?\Z")
_OR = re.compile(r"(?i)\s*,?\s*(?:or|oder|ou|o|或|か)\s*")
_MOST_TERMS = 40
"""The most parts or terms of a number, and the number; a list has no sum among so many."""


def result_of(text: str, numbers: list[Quantity]) -> Quantity | None:
    """Return the number of which others are the parts or terms: "18 apples: 12 red and 6 green",
    "3 rows of 4 chairs, 12 chairs in total"; None if there is no such number.

    Args:
        text: a sentence.
        numbers: its numbers, at least three.
    """
    numbers, last = numbers[-_MOST_TERMS:], numbers[-1]
    for index, result in enumerate(numbers[:-2]):
        parts = numbers[index + 1 :]
        between, rest = text[result.end : parts[0].start], text[parts[0].start :]
        before = text[numbers[index - 1].end : result.start] if index else ""
        if before == ", " or _WHOLE.search(text, 0, result.start):
            continue
        bare = between.strip(" ") == "," and not _WORD.search(text, parts[0].end, parts[-1].start)
        is_said = _INTRODUCES.search(between) and not (
            bare or CONCLUDED.search(rest) or _TURNS.search(between)
        )
        if is_said and not EQUALS.search(text) and _is_of(result, parts):
            return result
    for index in range(len(numbers) - 2):
        is_last = not _ASSUMED.search(text, numbers[index].end, last.start)
        is_last = is_last and _RESULTS.search(text, numbers[-2].end, last.start + 1) is not None
        if is_last and _is_of(last, numbers[index:-1]):
            return last
        if is_last and "divided" in text and _is_of(numbers[index], numbers[index + 1 :]):
            return last
    return None


def count_of(text: str, numbers: list[Quantity]) -> Quantity | None:
    """Return the number that says how many the numbers after it are: "two solutions: 3 and -3"."""
    for index, count in enumerate(numbers[:-2]):
        if not count.values or count.values[0] != len(numbers) - index - 1:
            continue
        if index and _LISTED.fullmatch(text, numbers[index - 1].end, count.start):
            continue
        gaps = [text[a.end : b.start] for a, b in pairwise(numbers[index:])]
        if gaps[0].rstrip(" $").endswith((":", ",", "x =", "n =")):
            return count if all(map(_LISTED.fullmatch, gaps[1:])) else None
    return None


def _is_of(result: Quantity, terms: list[Quantity]) -> bool:
    """Return whether a number is the sum of all terms, or the product or difference of two."""
    if not result.values or not all(term.values for term in terms):
        return False
    value, first, *others = (_exact(number.values[0]) for number in (result, *terms))
    if value - first in ((rest := sum(others)), -rest):
        return True
    return len(others) == 1 and value in (first * others[0], others[0] - first)


def _exact(value: Fraction) -> Fraction | int:
    """Return a number as a whole one if it is one: these are added a dozen times as fast."""
    return value.numerator if value.denominator == 1 else value


def is_adjunct(text: str, place: int) -> bool:
    """Return whether a preposition stands before the number at a place: "for 5 people"."""
    return _PREPOSITION.search(text, max(0, place - 40), place) is not None


def without_wholes(text: str, numbers: list[Quantity]) -> list[Quantity]:
    """Return numbers without those that others are parts of: ten in "seven of the ten"."""
    return numbers[:1] + [
        number
        for part, number in pairwise(numbers)
        if not (number.start - part.end < 40 and OF_WHOLE.fullmatch(text, part.end, number.start))
    ]


def first_of_list(text: str, numbers: list[Quantity]) -> Quantity | None:
    """Return the first number, or the last one of a list or date that begins with it; None for
    alternatives ("3 or 4")."""
    last = numbers[0]
    for number in numbers[1:]:
        between = text[last.end : number.start]
        if are_alternatives(text, last, number):
            return last if are_same(last, number) else None
        if not re.fullmatch(r"\s*(?:,|and|, and|;|then|\+|\*|×|/)\s*", between):
            break
        last = number
    return last


def consistent(text: str, numbers: list[Quantity]) -> list[Quantity]:
    """Return numbers without those whose words and digits contradict each other: "seven (8)"."""
    if not any(number.is_word for number in numbers):
        return numbers
    out = set[Quantity]()
    for word, digits in pairwise(numbers):
        is_doubled = text[word.end : digits.start] == " (" and is_mark(text, digits)
        if is_doubled and word.is_word and not digits.is_word and not are_same(word, digits):
            out |= {word, digits}
    return [number for number in numbers if number not in out]


def is_mark(text: str, number: Quantity) -> bool:
    """Return whether a number marks an item: "(1) iron, (2) gold"."""
    return text[number.start - 1 : number.start] == "(" and text[number.end : number.end + 1] == ")"


def is_article(text: str, number: Quantity) -> bool:
    """Return whether a number is the word "one" in a sentence, other than "only one"."""
    is_one = text[number.start : number.end].lower() == "one" and len(text.split()) > 5
    return is_one and not text.endswith(_ALONE, 0, number.start)


def affirmed(text: str, numbers: list[Quantity]) -> list[Quantity]:
    """Return numbers without those that are denied, alone or as alternatives."""
    sure: list[Quantity] = []
    denied = None
    for number in numbers:
        goes = denied is not None and are_alternatives(text, denied, number)
        if goes or is_denied(text, number):
            denied = number
        else:
            sure.append(number)
    return sure


def before_adjuncts(text: str, numbers: list[Quantity]) -> Quantity:
    """Return the last number, or the one of which those after it in its clause are details: "10
    eggs for 5 people", "boils at 100 °C at 1 atm"; but the end of "rose from 5 to 10"."""
    for before, number in reversed([*pairwise(numbers)]):
        whole = _WHOLE.search(text, 0, before.start)
        is_first = not (whole or text.endswith("the ", 0, before.start))
        if is_first and _OTHER_NOUN.fullmatch(text, before.end, number.start):
            continue
        if not is_adjunct(text, number.start) or _CLAUSE_END.search(text, before.end, number.start):
            return number
        if not is_adjunct(text, before.start):
            return before
    is_start = _FROM.search(text, 0, numbers[0].start)
    return numbers[-1 if is_start else 0]


def are_alternatives(text: str, first: Quantity, second: Quantity) -> bool:
    """Return whether "or" stands between two numbers."""
    return _OR.fullmatch(text, first.end, second.start) is not None


def converts(text: str, first: Quantity, second: Quantity) -> bool:
    """Return whether the second quantity says the first in another unit, as another number: "90
    minutes, i.e. 1.5 hours", but not "1 inch is 2.54 cm"."""
    left, right = sorted((first, second))
    if "/" in text[left.start : left.end] and text[left.end : right.start].strip() == "≈":
        digits = len(text[right.start : right.end].partition(".")[2])
        return bool(2 * abs(left.values[0] - right.values[0]) * 10**digits <= (digits > 0))
    if first.units == second.units or text[first.start] == "$":
        return False
    is_linked = _SAME.fullmatch(text, left.end, right.start) is not None
    is_new = second.values[0] not in first.values + first.others
    return is_linked and is_new and are_same(first, second)


def may_convert(text: str, number: Quantity) -> bool:
    """Return whether a number of a text may stand there in another unit, too."""
    return text[number.start] != "$" and bool(number.units or "%" in text)


def are_same(first: Quantity, second: Quantity) -> bool:
    """Return whether one quantity says the other in another unit or notation, perhaps rounded."""
    if not first.units or not second.units:
        return bool({*first.values, *first.others} & {*second.values, *second.others})
    other = converted(second.values[0], second.units, first.units)
    return other is not None and abs(other - first.values[0]) * 50 <= abs(first.values[0])
