"""Tells numbers that say which one ("chapter 5", "the 20th of July", "8 am", "Apollo 11") from
numbers that say how many.

The noun before a number decides, what follows it, and whether it is a part of a name. Such a number
is an answer only where a text has no other, and says it of its subject: "It is on page 12.", but
not "See page 12."
"""

from __future__ import annotations

import re

from lve.checkers.extract.quantities.word_lists import word_list
from lve.checkers.shape.patterns import pattern

_NOUNS = word_list("nouns")
"""Nouns that a number after them belongs to, in the singular or with an English or French s."""
_ABBREVIATED = frozenset(re.findall(r"\w+", "no nos nr art ex p v ch sec tab ref"))
"""Those of them that are none without a point."""
_DONE = frozenset(("exercise", "question", "track", "issue", "step", "line", "rule", "phase"))
"""Those that are verbs, too: "exercise 3 times"."""
_PEOPLE = re.compile(r"[ ](?!(?:is|was|has|as|this)\b)(?:[a-z]+s|people|men|women|children)(?!\w)")
"""After a count: "In May 20 people came", "exercise 3 times"."""
_MONTHS = word_list("months")
_ALSO_VERBS = frozenset(("may", "march", "mar", "mars", "mei"))
"""Months that are other words in small letters."""
_RATES = frozenset(("per", "each", "every", "pro", "je", "par", "por", "chaque", "cada", "ogni"))
"""Words between which and a number a noun is what is counted per: "30 per page"."""
_NUMBER = frozenset(("no", "nr", "n°", "number", "nummer", "numéro", "número"))
_SIGNS = "#№第図图表"
_ORDINAL = re.compile(pattern("ordinal_after"), re.IGNORECASE)
"""After the number of a place in a sequence, or a time of day."""
_OPERATORS = ("=", "+", "*", "/", "×", "≈")
_DAY = re.compile(r"(?:st|nd|rd|th|er|\.)?[ ](?:of |de |d')?(?P<month>[^\W\d_]+)")
_DAY_OF_MONTH = 31
_NAME = re.compile(pattern("name_before"))
_GOES_ON = re.compile(pattern("goes_on"))
_NO_NAMES = word_list("no_names")
"""Words that are no names, at the beginning of a sentence or after an article."""
_INTRODUCED = re.compile(pattern("introduced"))
"""What stands before such a noun where a sentence says it of its subject, or consists of it."""
_ELSEWHERE = re.compile(pattern("elsewhere"))
"""A sentence that only says where more is to be read: "Details are in section 3."."""
_LINK = re.compile(r"(?:,|-|,?[ ]?(?:&|and|und|et|y|e|to|bis|i|и)[ ])[ ]?\Z")
"""Between the numbers of "chapters 5 and 6"."""


def says_which(text: str, start: int, end: int) -> bool:
    """Return whether a number says which one, not how many.

    Args:
        text: a sentence.
        start: where the number begins.
        end: where it ends, without a unit.
    """
    before = text[max(0, start - 40) : start]
    after = text[end : end + 24]
    if before and _is_headed(before, after):
        return True
    if after and _ORDINAL.match(after):
        return not before.rstrip().endswith(_OPERATORS)  # "5th + 1 = 6th place"
    return _is_day(text[start:end], before, after) or _is_named(before, after)


def is_pointed_at(text: str, start: int) -> bool:
    """Return whether a text only points at the place whose number begins at `start`: "See page
    12."; numbers that no noun stands before are not."""
    before = text[max(0, start - 120) : start]
    if before.rstrip(" ").endswith(tuple(_SIGNS)):
        return _INTRODUCED.search(before.rstrip(f" {_SIGNS}")) is None
    head = _head(before)
    if head is None or not _is_noun(head):
        return False
    introduction = before[: before.rindex(head)]
    return _INTRODUCED.search(introduction) is None or _ELSEWHERE.match(introduction) is not None


def goes_on(between: str) -> bool:
    """Return whether a number after `between` belongs to the same noun as the one before: "steps
    2, 3 and 4"."""
    return len(between) < 12 and _LINK.match(between) is not None


def _head(before: str) -> str | None:
    """Return the word before a number, with its point: `page` of "on page no. ("."""
    words = before.rstrip(" ([").rsplit(" ", 2)
    if len(words) > 1 and words[-1].rstrip(".").lower() in _NUMBER and words[-2].isalpha():
        del words[-1]
    head = words[-1].lstrip("([\"'\n")
    is_word = head == "§" or head.removesuffix(".").isalpha()
    return head if is_word and (len(words) < 2 or words[-2].lower() not in _RATES) else None


def _is_headed(before: str, after: str) -> bool:
    last = before[-1]
    if last in _SIGNS or before[-2:] in ("# ", "№ ", "제 ") or last == "제":
        return True
    if not (last.isalpha() or last in " .(["):
        return False
    head = _head(before)
    if head is None or not _is_noun(head):
        return False
    return head not in _DONE or _PEOPLE.match(after) is None


def _is_noun(head: str) -> bool:
    noun = head.casefold().removesuffix(".")
    if noun in _ABBREVIATED:
        return head[-1] == "."
    is_plural = noun[-1:] == "s" and len(noun) > 2  # "18 vs. 11" has none of "v."
    return noun in _NOUNS or (is_plural and noun[:-1] in _NOUNS)


def _is_day(digits: str, before: str, after: str) -> bool:
    """Return whether a number is the day of a month without a year."""
    if not (digits.isdecimal() and len(digits) < 3 and 0 < int(digits) <= _DAY_OF_MONTH):
        return False
    day = _DAY.match(after)
    if day is not None and _is_month(day["month"]):
        return True
    words = before.rsplit(None, 1)
    if not words or before[-1] != " " or not _is_month(words[-1].strip(".,")):
        return False
    return _PEOPLE.match(after) is None


def _is_month(word: str) -> bool:
    month = word.casefold()
    return month in _MONTHS and (month not in _ALSO_VERBS or word[0].isupper())


def _is_named(before: str, after: str) -> bool:
    last = before.rfind(" ", 0, -1) + 1
    if before[-1:] != " " or not (before[last].isupper() or "\n" in before):
        return False
    goes = _GOES_ON.match(after)
    if goes is None:
        return False
    name = _NAME.search(before)
    first = name["name"].partition(" ")[0] if name else ""
    if name is None or first.lower() in _NO_NAMES or first.endswith("ly"):
        return False
    return bool(name["article"] or goes["verb"])
