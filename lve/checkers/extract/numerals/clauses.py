"""Finds the part of a sentence that can state its number: not a condition, a range, a comparison or
a denial."""

from __future__ import annotations

import re
from functools import lru_cache

from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.extract.quantities.word_lists import word_list
from lve.checkers.extract.stances import is_in_denial
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.cues import NEGATION, cues
from lve.checkers.shape.patterns import pattern

_RANGE = re.compile(pattern("range"))
_HAN_RANGE = re.compile(r"在\S{1,20}?[到至和]\S{1,20}?之?间")
_DIGIT = re.compile("[0-9]")
_DASH = re.compile(r"(?<=\d)-(?=\d)")
_RANGE_END = re.compile(
    r"(?i)\d(?:(?<=-.)|(?<=-[\s$€£].)|(?<=to.)|(?<=to\s.)|(?<=bis.)|(?<=bis\s.)|(?<=\s[$€£].))"
)
_RANGE_STARTS = ("tween", "ischen", "ntre", "where")
"""In each text with a range is one of them."""
_PARENTHESES = re.compile(pattern("parentheses"))
_NOT = re.compile(pattern("not"))
"""What denies or asks for the number after it: "They didn't agree on 40", "how many of the 12"."""
_CALLED_WRONG = re.compile(pattern("called_wrong"))
"""After a number: "300 that is often quoted is a myth"."""
_MISTAKEN = re.compile(pattern("mistaken"))
_BOUND = re.compile(pattern("bound"))
"""Before a number that is only a bound: "over 10", "x > 3", "at least 10"."""
_BOUND_ENDS = tuple(word_list("bound_ends"))
"""What each of these ends with."""
_BOUND_AFTER = re.compile(pattern("bound_after"))
"""After such a number: "10+", "10 or more"."""
_LIMITS = re.compile(pattern("limits"))
"""What makes a bound the answer to how many are needed or allowed: "You need at least 10"."""
_NOT_AFTER = re.compile(pattern("not_after"))
"""After a number that is denied."""
_NEGATIONS = pattern("negations").split("|")
"""One of them is in each text that fits."""
_UNKNOWN = re.compile(pattern("unknown"))
_DENIES = ("n't", "not ", "unable", "no ", " more ", "determin", "possible to", "difficult to")
"""One of them is in each text that fits, in lower case."""
_CONDITION = re.compile(pattern("condition"))
_ADJUNCT = re.compile(pattern("adjunct"))
"""The rest of a sentence that only says when or with what: "$80 after a 20% discount"."""
_CLAUSE_END = re.compile(r",(?!\d)|[;:=]")
_PURPOSE = re.compile(pattern("purpose"))
"""What something is needed for: "3 vans are needed to carry 80 boxes"."""
_BESIDE = re.compile(pattern("beside"))
"""Where a sentence goes on with something that its statement is only compared with."""
_GOES_ON = re.compile(r"[,:]|(?<= )(?:so|it means) ")
"""Where a condition ends before an equation: "since 20 fit, she sold 6 x 20 = 120"."""
_DETAILS = re.compile(r":\s+(?:\w+\s+){0,2}\d+(?:, \d+)*,? and \d+(?![.,]?\d)")
"""Details of a number: "3 of them: at 3, 8 and 9"."""
_GIVEN = re.compile(pattern("given"))
"""A condition with an equation before what follows from it: "With r = 3, the area is 28"."""
_HEAD = re.compile(pattern("head"))
"""A number and what is counted, before the details: "18 guests: 12 adults ..."."""
_CONCLUDES = re.compile(pattern("so"))
_CLAUSES = re.compile(r"[,;(]|\bround")
_RATHER = re.compile(pattern("rather"))
"""What a computation is compared with, and concludes: "8 + 8 = 16, but we need 9, which is 17"."""
EQUALS = re.compile(pattern("equals"))
CONCLUDED = re.compile(pattern("concluded"))
VERB = re.compile(pattern("stating_verb"))
"""In a text in lower case."""


def main_clause(text: str, numbers: list[Quantity]) -> tuple[str, list[Quantity]]:
    """Return a sentence without its details and condition, and the numbers in the rest."""
    numbers = [n for n in numbers if not _CALLED_WRONG.match(text, n.end)] or numbers
    if (head := _HEAD.match(text)) and not CONCLUDED.search(text, head.end()):
        before = [n for n in numbers if n.start < head.end()]
        if before and (head["checked"] or not VERB.search(lowered(text), head.end())):
            return text[: head.end()], before
    if (condition := _GIVEN.match(text)) is not None:
        after = [n for n in numbers if n.start >= condition.end()]
        if after and (condition["clause"] or VERB.search(lowered(text), condition.end())):
            text, numbers = " " * condition.end() + text[condition.end() :], after
    details = _DETAILS.search(text) if ":" in text else None
    if details is not None and VERB.search(lowered(text), 0, details.start()):
        before = [n for n in numbers if n.end <= details.start()]
        if before:
            text, numbers = text[: details.start()], before
    purpose = _PURPOSE.match(text)
    before = [n for n in numbers if purpose and n.end <= purpose.start("to")]
    if purpose and 0 < len(before) < len(numbers):
        text, numbers = text[: purpose.start("to")], before
    first = numbers[0].end
    beside = _BESIDE.search(text, first)
    before = [n for n in numbers if n.end <= beside.start()] if beside else []
    if beside and before:
        text, numbers = text[: beside.start()], before
    for match in _CONDITION.finditer(lowered(text), first):
        before = [n for n in numbers if n.end <= match.start()]
        equals = EQUALS.search(text, match.end()) if before else None
        so = conclusion_after(text, match.end()) if before else None
        if so and numbers[-1].start >= so.end():
            continue
        if before and not (equals and _GOES_ON.search(text, match.end(), equals.start())):
            return text[: match.start()], before
    if len(numbers) == 1:
        return text, numbers
    end_of_clause = max((m.end() for m in _CLAUSE_END.finditer(text)), default=0)
    adjunct = _ADJUNCT.search(lowered(text), max(first, end_of_clause - 1))
    before = [n for n in numbers if n.end <= adjunct.start()] if adjunct else []
    if adjunct and 0 < len(before) < len(numbers):
        verbs = [verb.start() for verb in VERB.finditer(lowered(text))]
        is_stated = before[0].start < 2 or any(verb < adjunct.start() for verb in verbs)
        if is_stated or not any(verb > adjunct.start() for verb in verbs):
            text, numbers = text[: adjunct.start()], before
    return text, numbers


def goes_on_beside(text: str, lower: str, end: int) -> bool:
    """Return whether a sentence goes on with a condition, adjunct or comparison between its first
    digit and `end`, or has details."""
    digit = _DIGIT.search(text)
    place = digit.end() if digit else 0
    sides = ((_CONDITION, lower), (_ADJUNCT, lower), (_BESIDE, text))
    starts = [side.start() for kind, read in sides if (side := kind.search(read, place))]
    has_details = _HEAD.match(text) or (":" in text and _DETAILS.search(text))
    return bool(has_details) or min(starts, default=end) < end


def is_negated(text: str, place: int) -> bool:
    """Return whether what stands before a place of a text denies the number there."""
    if not text.isascii() and _NOT_AFTER.match(text, place) is not None:
        return True
    if not may_negate(text):
        return False
    return _NOT.search(text[max(0, place - 40) : place].rstrip() + " ") is not None


def is_denied(text: str, number: Quantity) -> bool:
    """Return whether a text denies a number, asks for it, calls it wrong or only a bound."""
    if is_negated(text, number.start) or _MISTAKEN.match(text, number.end):
        return True
    if _is_bound(text, number):
        return True
    if not may_negate(text):
        return False
    if _CALLED_WRONG.match(text, number.end) is not None:
        return True
    return is_in_denial(text[max(0, number.start - 80) : number.start])


def _is_bound(text: str, number: Quantity) -> bool:
    """Return whether a text only says what a number is above or below."""
    before, bound = text[max(0, number.start - 30) : number.start].rstrip(" $€£(").lower(), None
    if before.endswith(_BOUND_ENDS):
        bound = _BOUND.search(text, max(0, number.start - 30), number.start)
    bound = bound or _BOUND_AFTER.match(text, number.end)
    return bound is not None and not (bound["limit"] and _LIMITS.search(lowered(text)))


@lru_cache(maxsize=4)
def may_negate(text: str) -> bool:
    """Return whether a text may deny something."""
    if text.isascii():
        # Sentences don't take the places of answers, which are read again.
        return bool(cues.__wrapped__(text) & NEGATION)
    return any(map(f"{text} ".lower().__contains__, _NEGATIONS))


def is_unknown(text: str) -> bool:
    """Return whether a text says that it doesn't know a number."""
    lower = text.lower()
    return any(map(lower.__contains__, _DENIES)) and _UNKNOWN.search(text) is not None


def without_ranges(text: str) -> str:
    """Return a text without its ranges ("3 to 5"), which are no numbers."""
    if "间" in text:
        text = _HAN_RANGE.sub(" … ", text)
    if not (_RANGE_END.search(text) or any(map(text.lower().__contains__, _RANGE_STARTS))):
        return text
    return _RANGE.sub(lambda m: m[0] if _is_no_range(text, m) else " … ", text)


def without_brackets(text: str) -> str:
    """Return a text with spaces for what is in brackets or between the commas of a relative clause,
    unless that is all it says."""
    if not ("(" in text or "[" in text or "（" in text or ", wh" in text):
        return text
    outside = _PARENTHESES.sub(lambda m: " " * len(m[0]), text)
    is_said = re.search(r"\d|[^\W\d_]{2}", outside) or not re.search(r"\d", text)
    return outside if is_said else text


def ranges_in(text: str) -> list[str]:
    """Return the ranges of a text: "between 3 and 5", "3-5"."""
    return [_DASH.sub(" - ", m[0]) for m in _RANGE.finditer(text) if not _is_no_range(text, m)]


def _is_no_range(text: str, match: re.Match[str]) -> bool:
    """Return whether an apparent range is a difference (`5 - 3 = 2`) or a date."""
    rest = text[match.end() : match.end() + 4]
    before = text[: match.start()].rstrip()
    is_later = before.endswith(("=", "+", "*", "from", "von", "de"))
    return is_later or "=" in rest or rest.startswith("-")


def conclusion_after(text: str, since: int) -> re.Match[str] | None:
    """Return the words after a place of a text that introduce what it concludes."""
    if text.isascii() and _CLAUSES.search(text, since) is None:
        return None
    return _RATHER.search(text, since) or _CONCLUDES.search(text, since)
