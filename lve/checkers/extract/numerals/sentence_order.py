"""Puts the sentences of an answer in the order in which they may state its number: from the last
one on, what is only possible, compared or a comment after the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lve.checkers.extract.numerals.clauses import CONCLUDED, EQUALS, VERB, is_unknown, may_negate
from lve.checkers.extract.numerals.number_notation import cleaned, has_list_mark, without_list_mark
from lve.checkers.shape.answer_parts import Shape
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.cues import NOTE, cues
from lve.checkers.shape.passages import stated
from lve.checkers.shape.patterns import pattern

_POSSIBLY = re.compile(pattern("possibly"))
"""A sentence that asks, only says what could be, or is in brackets. Others take precedence."""
_SEARCHED = ("this", "that", "it ", *"0123456789")
_ADDS = re.compile(pattern("adds"))
"""A sentence that says something of another kind of things, or until when something held: "Babies
have 300.". What stands before takes precedence."""
_ASKS = re.compile(pattern("asks"))
_AGREES = re.compile(r"(?i)\W*(?:yes|yep|right|correct|exactly|indeed)\b")
_DENIES = re.compile(r"(?i)\W*(?:no|nope|hardly|never|i don't think so|i doubt it)\b")
_SUPPOSES = re.compile(pattern("supposes"))
_TERMS = re.compile(r"\d[\d\s.,+*/×·÷()$€£%-]*\Z")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_POINTS_BACK = re.compile(r"(?:That|This|Which|It) (?:leaves|means|makes|includes|is|was)(?!\w)")
_TOTALLED = re.compile(pattern("totalled"))
"""A conclusion; a sentence after it that only points back at it comments on it."""
_OTHER_CASE = re.compile(pattern("other_case"))
_OTHER_NUMBER = re.compile(pattern("other_number"))
"""A clause that says what a number in it is, or what it is elsewhere: "; 15 is the sum"."""
_NOTES = re.compile(pattern("notes"), re.IGNORECASE | re.MULTILINE)
"""Where footnotes or references begin."""


def stating_sentences(shape: Shape, *, counts: bool) -> Iterator[str]:
    """Yield the cleaned sentences of an answer, the one that most likely states its number first.

    Args:
        shape: the answer.
        counts: whether those that count are yielded, or those that were taken back or are notes.
    """
    return _sure_first(_sentences(shape, counts=counts))


def _sure_first(sentences: Iterator[str]) -> Iterator[str]:
    """Yield sentences, those that only say what could be after the others."""
    possible = list[str]()
    reply = ""
    for sentence in sentences:
        if not _is_only_possible(sentence):
            yield sentence
        elif _AGREES.match(reply) or not (_ASKS.match(sentence) or _DENIES.match(reply)):
            possible.append(sentence)
        reply = sentence
    yield from possible


def is_first(sentence: str, before: str) -> bool:
    """Return whether a sentence stands for itself, and nothing puts it after those before it."""
    points = _POINTS_BACK.match(sentence) or _SUPPOSES.match(sentence)
    is_after = is_aside(sentence) or _comments(sentence, before)
    return sentence[:1].isalpha() and not (points or is_after)


def is_aside(sentence: str) -> bool:
    """Return whether a sentence only adds something, asks, or says what could be."""
    return _ADDS.match(sentence) is not None or _is_only_possible(sentence)


def _comments(sentence: str, before: str) -> bool:
    """Return whether a sentence only points back at a total, or says again terms of the equation
    whose result is the only number between the two: "23 - 8 = 15, so she has 15. She gave 8."."""
    if _POINTS_BACK.match(sentence) and _TOTALLED.search(before, max(0, len(before) - 200)):
        return True
    place = before.rfind("=")
    if place < 0 or "=" in sentence or "?" in before[place:] or CONCLUDED.search(sentence):
        return False
    numbers, results = ({*_NUMBER.findall(text)} for text in (sentence, before[place:]))
    terms = (_TERMS.search(before, max(0, place - 100), place) or [""])[0]
    return len(results) == 1 and set() < numbers <= {*_NUMBER.findall(terms)} - results


def _is_only_possible(sentence: str) -> bool:
    lower = sentence.lower()
    is_searched = "(" in lower or "'d" in lower or "ould" in lower or "might" in lower
    is_searched = is_searched or "?" in lower or "|" in lower or lower.startswith(_SEARCHED)
    return is_searched and _POSSIBLY.search(sentence) is not None


def _sentences(shape: Shape, *, counts: bool) -> Iterator[str]:
    """Yield the sentences from the last one on: those that count, or what was taken back."""
    plain, since = shape.plain, shape.corrected_from
    notes = _NOTES.search(plain, 1) if cues(plain) & NOTE else None
    if not (counts or since or notes):
        return
    has_clauses, beside, added = ";" in plain, list[str](), list[str]()
    for start, end, *_ in stated(plain):
        is_note = notes is not None and start >= notes.start()
        if (end > since and not is_note) is not counts:
            continue
        text = plain[max(start, since) if counts else start : end].strip()
        supposes = _SUPPOSES.match(text)
        before = plain[:start].rstrip()[-200:] if has_clauses or supposes else ""
        if (supposes or before.endswith(";")) and is_unknown(before.rstrip(";")):
            continue
        text = cleaned(without_list_mark(text) if _is_item(text, plain) else text)
        is_new = _ADDS.match(text) and text.split(" is ")[0] not in plain[:start]
        if start > since and (is_new or _comments(text, plain[:start])):
            added.insert(0, text)
            continue
        if before.endswith(";") and _is_beside(before, text):
            beside.append(text)
            continue
        yield text
        yield from beside
        beside.clear()
    yield from (*beside, *added)


def _is_beside(before: str, text: str) -> bool:
    """Return whether a clause only goes on with another case than the one before it: "; a leap year
    366"."""
    clause = before[before.rfind("\n") + 1 : -1]
    if not re.search(r"\d", clause):
        return False
    if _OTHER_NUMBER.match(text):
        return True
    if not _OTHER_CASE.match(text) or may_negate(clause):
        return False
    return not (EQUALS.search(text) or VERB.search(lowered(text)))


def _is_item(text: str, plain: str) -> bool:
    """Return whether a sentence begins with the number of a list item, and another one does."""
    return (
        has_list_mark(text)
        and sum(has_list_mark(plain[p.start : p.end]) for p in stated(plain)) > 1
    )
