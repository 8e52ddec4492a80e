"""Reads numbers in words: `forty-two`, `one thousand`, `two thirds`."""

from __future__ import annotations

import re
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
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
_PARTS |= {"eighth": 8, "ninth": 9, "tenth": 10, "hundredth": 100, "thousandth": 1000}
_PART = f"{'|'.join(_PARTS)}|halve"
_WHOLE_TEXT = (
    rf"(?<![\w-])(?:(?P<sign>minus|negative)[ -])?"
    rf"(?P<words>(?:an? (?=hundred|{'|'.join(_LARGE)}))?(?:{_WORD})"
    rf"(?:(?:[ -]| and (?!\w+[ -](?:{_PART})s?\b)|, )(?:{_WORD})){{0,20}})"
    rf"(?: and (?P<over>an?|one|two|three|four)[ -](?P<under>{_PART})s?(?!\w)"
    rf"(?: (?P<times>{'|'.join(_LARGE)}))?)?"
    rf"(?: point(?P<decimals>(?: (?:{'|'.join(_ONES[:10])})){{1,10}}))?(?![\w-])"
)
_SHARE_TEXT = (
    rf"(?<![\w-])(?P<over>an?|{'|'.join(_ONES[1:20])})[ -](?P<under>{_PART})s?"
    rf"(?: of an?(?= (?!{'|'.join(_LARGE)})[a-z]|\Z)|(?=\s*(?:[.,;:!?)]|$|of\b)))"
    rf"|(?<![\w-])(?P<share>half|quarter) an? (?P<large>{'|'.join(_LARGE)})(?![\w-])"
    r"|(?<![\w-])(?P<half>half an?|(?<!in )half(?= of |\Z))(?!\w)"
    rf"|(?<![\w-])one[ -](?:in|out of)(?: every)?[ -](?P<among>"
    rf"(?:{_WORD})(?:[ -](?:{_WORD})){{0,3}})"
    r"(?=\s*(?:[.,;:!?)]|$|chance))"
)
"""`a quarter`, `two thirds of them`, `half a million`, `one in four`; but not "a third person"."""
SPELLED = re.sub(r"\(\?P<\w+>", "(?:", f"(?i:{_SHARE_TEXT}|{_WHOLE_TEXT})")
"""A pattern of a number in words."""
_STARTS = ("hundred", *_LARGE, "minus", "negative", "a ", "a-", "an", "half", "quarter")
FIRST_WORDS = (*_SMALL, *_STARTS)
"""What such a number begins with."""
NUMBER_WORDS = frozenset(
    [*_SMALL, "hundred", *_LARGE, "minus", "negative", "halves", *_PARTS]
    + [f"{word}s" for word in (*_LARGE, *_PARTS)]
)
"""Words of which each such number has one."""
_WHOLE = re.compile(_WHOLE_TEXT, re.IGNORECASE)
_BARE = re.compile(rf"(?:hundred|{'|'.join(_LARGE)})\b", re.IGNORECASE)
"""The rest of a number whose beginning is in digits."""
_SHARE = re.compile(_SHARE_TEXT, re.IGNORECASE)


def spelled_value(text: str) -> Fraction | None:
    """Return the value of a text that fits `SPELLED`; None if the words make no number."""
    match = _SHARE.fullmatch(text)
    if match:
        return _share(match)
    match = _WHOLE.fullmatch(text)
    if match is None or _BARE.match(match["words"]):
        return None
    value = _english(match["words"])
    if value is None:
        return None
    value += _decimals(match["decimals"])
    if match["under"]:
        value += _part(match["over"].lower(), match["under"].lower())
        value *= _LARGE.get((match["times"] or "").lower(), 1)
    return -value if match["sign"] else value


def _share(match: re.Match[str]) -> Fraction | None:
    if match["half"]:
        return Fraction(1, 2)
    if match["share"]:
        return _part("a", match["share"].lower()) * _LARGE[match["large"].lower()]
    if match["among"]:
        among = _english(match["among"])
        return 1 / among if among else None
    return _part(match["over"].lower(), match["under"].lower())


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
                if not 15 <= current <= 20 or value < 10:
                    return None  # "one two three" is no number
                current *= 100  # "nineteen ninety-nine"
            current += value
        last = _SMALL.get(word, 0) if word != "and" else last
    return Fraction(total + current)


def _decimals(text: str | None) -> Fraction:
    digits = "".join(str(_SMALL[word.lower()]) for word in (text or "").split())
    return Fraction(int(digits), 10 ** len(digits)) if digits else Fraction(0)
