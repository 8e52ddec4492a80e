"""Finds numbers in words: `forty-two`, `one thousand`, `四十二`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, 2)},
}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_WORD = "|".join([*_SMALL, "hundred", *_LARGE])
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "hundredth": 100,
    "thousandth": 1000,
}
_PART = f"{'|'.join(_PARTS)}|halve"
_SPELLED = re.compile(
    rf"(?<![\w-])(?:(?P<sign>minus|negative)[ -])?"
    rf"(?P<words>(?:an? (?=hundred|{'|'.join(_LARGE)}))?(?:{_WORD})"
    rf"(?:(?:[ -]| and (?!\w+[ -](?:{_PART})s?\b)|, )(?:{_WORD})){{0,20}})"
    rf"(?: and (?P<over>an?|one|two|three|four)[ -](?P<under>{_PART})s?(?!\w)"
    rf"(?: (?P<times>{'|'.join(_LARGE)}))?)?"
    rf"(?: point(?P<decimals>(?: (?:{'|'.join(_ONES[:10])})){{1,10}}))?(?![\w-])",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"(?<![\w-])(?P<over>an?|{'|'.join(_ONES[1:20])})[ -](?P<under>{_PART})s?"
    r"(?=\s*(?:[.,;:!?)]|$|of\b))"
    rf"|(?<![\w-])(?P<share>half|quarter) an? (?P<large>{'|'.join(_LARGE)})(?![\w-])"
    rf"|(?<![\w-])one (?:in|out of)(?: every)? (?P<among>(?:{_WORD})(?:[ -](?:{_WORD})){{0,3}})"
    r"(?=\s*(?:[.,;:!?)]|$))",
    re.IGNORECASE,
)
"""`a quarter`, `two thirds of them`, `half a million`, `one in four`; but not "a third person"."""
_HAN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN = re.compile(
    rf"[负負]?[{''.join([*_HAN_DIGITS, *_HAN_UNITS, *_HAN_LARGE])}]{{1,30}}"
    "(?:点[零一二三四五六七八九]{1,10})?"
)


def spelled_numbers(text: str) -> Iterator[tuple[int, int, Fraction]]:
    """Yield start, end and value of each number in words."""
    end = 0
    for start, stop, value in sorted([*_shares(text), *_whole(text)], key=lambda span: span[0]):
        if start >= end:
            end = stop
            yield start, stop, value
    for match in _HAN.finditer(text):
        yield match.start(), match.end(), _chinese(match[0])


def _shares(text: str) -> Iterator[tuple[int, int, Fraction]]:
    for match in _FRACTION.finditer(text):
        if match["share"]:
            value = _part("a", match["share"].lower()) * _LARGE[match["large"].lower()]
        elif match["among"]:
            among = _english(match["among"])
            if not among:
                continue
            value = 1 / among
        else:
            value = _part(match["over"].lower(), match["under"].lower())
        yield match.start(), match.end(), value


def _whole(text: str) -> Iterator[tuple[int, int, Fraction]]:
    for match in _SPELLED.finditer(text):
        value = _english(match["words"])
        if value is None:
            continue
        value += _decimals(match["decimals"])
        if match["under"]:
            value += _part(match["over"].lower(), match["under"].lower())
            value *= _LARGE.get((match["times"] or "").lower(), 1)
        yield match.start(), match.end(), -value if match["sign"] else value


def _part(over: str, under: str) -> Fraction:
    return Fraction(_SMALL.get(over, 1), _PARTS.get(under, 2))


def _english(text: str) -> Fraction | None:
    total = current = 0
    last = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in ("a", "an"):
            current = 1
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _LARGE:
            total += max(current, 1) * _LARGE[word]
            current = 0
        elif word != "and":
            value = _SMALL[word]
            if last and not (20 <= last < 100 and value < 10):
                return None  # "one two three" is no number
            current += value
        last = _SMALL.get(word, 0) if word != "and" else last
    return Fraction(total + current)


def _decimals(text: str | None) -> Fraction:
    digits = "".join(str(_SMALL[word.lower()]) for word in (text or "").split())
    return Fraction(int(digits), 10 ** len(digits)) if digits else Fraction(0)


def _chinese(text: str) -> Fraction:
    whole, _, decimals = text.lstrip("负負").partition("点")
    if not any(c in _HAN_UNITS or c in _HAN_LARGE for c in whole):
        value = Fraction(int("".join(str(_HAN_DIGITS[c]) for c in whole)))
    else:
        value = Fraction(_han_whole(whole))
    digits = "".join(str(_HAN_DIGITS[c]) for c in decimals)
    value += Fraction(int(digits), 10 ** len(digits)) if digits else 0
    return -value if text[0] in "负負" else value


def _han_whole(text: str) -> int:
    total = section = digit = 0
    for character in text:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_UNITS:
            section += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            total = (total + section + digit) * _HAN_LARGE[character]
            section = digit = 0
    return total + section + digit
