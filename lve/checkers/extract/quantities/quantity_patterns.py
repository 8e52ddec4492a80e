"""The patterns of quantities: what one begins with, and what can follow its digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path

from lve.checkers.extract.quantities.han_numbers import HAN
from lve.checkers.extract.quantities.spelled_numbers import FIRST_WORDS, NUMBER_WORDS, SPELLED
from lve.checkers.shape.cues import words_of
from lve.checkers.shape.patterns import pattern

_SIZES = Path(__file__).with_name("magnitudes.tsv").read_text(encoding="utf-8").splitlines()
MAGNITUDES = {
    word: int(size)
    for size, words in (line.split("\t") for line in _SIZES)
    for word in words.split()
}
_LETTERS = {"k": "[kK]", "m": "M", "b": "B", "t": "T", "bn": "[bB]n", "mn": "[mM]n"}
_WORDS = "|".join(
    sorted((f"(?i:{w})" for w in MAGNITUDES if w not in _LETTERS), key=len, reverse=True)
)
_MONTHS = pattern("months")


def _beginnings(words: Iterable[str]) -> str:
    """Return a pattern of the first two letters of some words, which is tried much sooner than
    these."""
    seconds: dict[str, set[str]] = {}
    for word in words:
        seconds.setdefault(word[0], set()).update((word[1], word[1].upper()))
    return "|".join(
        f"[{first}{first.upper()}][{''.join(map(re.escape, sorted(second)))}]"
        for first, second in sorted(seconds.items())
    )


_TOKEN_STARTS = _beginnings([*FIRST_WORDS, *_MONTHS.split("|"), "menos", "moins", "kr", "rs"])
_SPELLED = SPELLED.replace(" ", r"\ ")
TOKEN = re.compile(
    pattern("quantity_token")
    .replace("@starts", _TOKEN_STARTS)
    .replace("@spelled", _SPELLED)
    .replace("@han", HAN),
    re.VERBOSE,
)
_PLAIN_DIGITS = re.compile(
    r"(?P<sign>(?!))?(?P<apart>(?!))?(?P<money>(?!))?(?P<inner>(?!))?(?P<digits>[0-9]+)"
    r"(?=[.,;!?)]?(?:\Z|\n| (?![0-9h])))"
)
"""Digits that in a text without dates are all of a token, with its groups."""
_FIRST_DIGITS = re.compile(r"[0-9$\\+.-]")
"""What a quantity in digits begins with in a text without other letters that matter."""
_START = re.compile(r"[0-9$\\+.-]|[a-zA-Z]+")
"""What a quantity begins with in a text of ASCII, as far as it doesn't begin inside of a word."""
_DIGIT = re.compile("[0-9]")
_CODE = re.compile(r"[A-Z](?:[A-Z$€£¥]|s(?!\w))")
"""What may be a currency before a number."""
YEAR = re.compile(r"[12][0-9]{3}")
"""What may be the year of a date that begins with its month."""
_SIGNS = ("menos", "moins", "negativ", "kr", "rs")
_NUMBER_WORDS = frozenset(word.encode() for word in (*NUMBER_WORDS, *_SIGNS))
_STARTS = frozenset(word.strip(" -") for word in (*FIRST_WORDS, *_SIGNS))
_MONTH_STARTS = frozenset(month[:3] for month in _MONTHS.split("|"))


@lru_cache(maxsize=8)
def has_words(text: str) -> bool:
    """Return whether a quantity of a text may begin with a letter, or have other characters than
    those of ASCII."""
    if not text.isascii() or YEAR.search(text) or _CODE.search(text):
        return True
    return has_number_word(text)


def has_number_word(text: str) -> bool:
    """Return whether a text of ASCII has a word of a number."""
    return not _NUMBER_WORDS.isdisjoint(words_of(text))


def has_quantity(text: str) -> bool:
    """Return whether a text may have a quantity; most sentences have none."""
    return _DIGIT.search(text) is not None or has_words(text)


def tokens(text: str) -> Callable[[int], re.Match[str] | None]:
    """Return a function that returns the first token of a text from a place on."""
    if not has_words(text):
        return partial(_token_of_digits, text)
    is_searched = not text.isascii() or _CODE.search(text)
    return partial(TOKEN.search if is_searched else _token_of_words, text)


def _token_of_words(text: str, place: int) -> re.Match[str] | None:
    for start in _START.finditer(text, place):
        word = start[0].lower()
        is_tried = not word[0].isalpha() or word in _STARTS or word[:3] in _MONTH_STARTS
        if is_tried and (token := TOKEN.match(text, start.start())) is not None:
            return token
    return None


def begins_with_word(text: str) -> bool:
    """Return whether a text of ASCII begins with a word that begins no quantity."""
    start = _START.match(text)
    if start is None or not start[0].isalpha() or not text.isascii() or _CODE.match(text):
        return False
    word = start[0].lower()
    return word not in _STARTS and word[:3] not in _MONTH_STARTS


def _token_of_digits(text: str, place: int) -> re.Match[str] | None:
    while (first := _FIRST_DIGITS.search(text, place)) is not None:
        place = first.start()
        if token := _PLAIN_DIGITS.match(text, place) or TOKEN.match(text, place):
            return token
        place += 1
    return None


_MAGNITUDE_STARTS = _beginnings(word for word in MAGNITUDES if word not in _LETTERS)
TAIL = re.compile(
    pattern("quantity_tail").replace("@starts", _MAGNITUDE_STARTS).replace("@words", _WORDS),
    re.VERBOSE,
)
MIXED = re.compile(
    r"(\d{1,9})(?:[ ](\d{1,4})[ ]?/[ ]?(\d{1,4})(?![\d/])"
    r"|[ ]?\\[dtc]?frac[ ]?(?:\{[ ]?(\d{1,4})[ ]?\}\{[ ]?(\d{1,4})[ ]?\}|(\d)[ ]?(\d))"
    rf"|[ ]and an?[ ](?P<part>half|third|quarter)(?!\w))(?:[ ](?P<magnitude>{_WORDS})(?![A-Za-z]))?"
)
"""`2 1/2`, `2 and a half million`."""
NAMED_PARTS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}
GAP = re.compile(r"[ ]*(?:-(?=[^\W\d_]))?(?:\{[ ]*)?")
OUT_OF = re.compile(pattern("out_of"))
"""`1 in 5`; 3 out of 4 is 3, too."""
PI = re.compile(r"[ ]?[*·]?[ ]?(?:π|\\pi(?![a-z])|pi(?!\w))(?P<more>\w|\^)?")
ROOT = re.compile(r"[ ]?(?:√|\\sqrt)")
POWER_OF_NAME = re.compile(r"[^\W\d_]\^\{?-?\Z|√\(?\Z|\\sqrt\{?\Z")
"""What stands before a number that is a power of something else or under a root."""
BEFORE_POWERS = frozenset("^{-√(t")
BEFORE_ROOTS = frozenset(" √\\")
"""The last character before such a number, and the first one before a root."""
SMALL_SIZE = re.compile(r"[ ]?(k|mn?|bn?|t)(?![\w/^²])")
"""A magnitude in small letters after an amount of money: `£3.2m`."""
JOINED = re.compile(r"[ ,]*(?:(?:and|und|et|y|e)[ ])?")
ARTICLE = re.compile(r"(?i)(?<!\w)an? (?=[a-z]+ and \Z)")
HOURS = re.compile(r"[ ]?(?:h|hrs?|hours?|Stunden|heures|horas)\b")
ENDS = frozenset(("", *".,;:!?)\n"))
"""Characters after a number without denominator, power, magnitude or unit."""
OPERATORS = frozenset((" + ", " - ", " = "))
"""The three characters after a term of a computation, which has none of these either."""
