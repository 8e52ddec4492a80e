"""Reads the number of a sentence that leaves no choice, without reading its other quantities: its
only one, or the last one after an equals sign or verb. Most sentences that state a number do."""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.numerals import clauses
from lve.checkers.extract.numerals.labelling import says_which
from lve.checkers.extract.numerals.selection import OF_WHOLE, is_adjunct, may_convert
from lve.checkers.extract.quantities import quantity_patterns as patterns
from lve.checkers.extract.quantities.digit_groups import has_decimal_comma
from lve.checkers.extract.quantities.quantity import Quantity, read_digits
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.patterns import pattern

_DIGITS = r"[0-9]{1,15}(?:\.[0-9]{1,2}|(?:,[0-9]{3})+)?"
_LAST = re.compile(rf"(?s:.*)(?:[a-z,=:] |=)(\$?{_DIGITS})(?=[^0-9]*\Z)")
"""The last number of a sentence, if it stands by itself after a word, comma or equals sign."""
_TOKEN = re.compile(
    rf"(?P<sign>(?!))?(?P<apart>(?!))?(?P<money>\$)?(?P<inner>(?!))?(?P<digits>{_DIGITS})"
)
"""Such a number, with the groups of `quantity_patterns.TOKEN`."""
_OR = re.compile(r",|i\.e\.|\b(?:or|that|which|also|oder|ou|soit|o)\b")
"""What may stand between a number and the same in another unit."""
_RUN = re.compile("[0-9]+")
MARKS = re.compile(r"[,;:(=]|[ ]-[ ]| or |i\.e\.|namely")
"""One of them stands before what a sentence concludes, or its details."""
_LAST_DIGIT = re.compile(r"(?s:.*)[0-9]")
_COMPUTED = re.compile(r"(?:[A-Z][a-z]{1,10},? )?[\d\s+*/×·()-]+=\s*(-?\d{1,15})\.?")
"""A sentence that only computes, which many answers end with."""
_COMPOSED = re.compile(pattern("composed"))
"""A sentence that says of what its number is made: "74 = 65 + 9"."""


def computed_number(text: str) -> Quantity | None:
    """Return the number of a sentence that only computes it, or says of what it is made; None for
    other sentences."""
    computed = _COMPUTED.fullmatch(text) or _COMPOSED.fullmatch(text)
    return Quantity(*computed.span(1), (Fraction(computed[1]),)) if computed else None


def plain_number(text: str, body: str) -> Quantity | None:
    """Return the number that a sentence states, of one that says so; None if there is more to read.

    Args:
        text: the sentence without ranges and brackets.
        body: the answer, whose language says what a comma means.
    """
    last = _LAST.match(text)
    if last is None or not text.isascii() or "(" in text or "[" in text:
        return None
    token = _TOKEN.match(text, last.start(1))
    if token is None or patterns.has_number_word(text):
        return None
    before = _LAST_DIGIT.match(text, 0, token.start())
    are_many = before is not None and len(_RUN.findall(text)) > 2
    if are_many and "=" not in text and MARKS.search(text):
        return None
    number = _alone(text, token, body)
    if number is None or clauses.is_denied(text, number):
        return None
    if before and may_convert(text, number) and _OR.search(text, before.end(), number.start):
        return None
    if before and not _is_linked(text, before.end(), number.start, are_many=are_many):
        return None
    return number


def _alone(text: str, token: re.Match[str], body: str) -> Quantity | None:
    """Return the quantity that begins with a token; None if that may be a date, only says which
    one, or adds to something before it."""
    start, digits = token.start(), token["digits"]
    if patterns.YEAR.match(digits) and "=" not in text[start - 2 : start]:
        return None
    comma = False if digits.isdecimal() else has_decimal_comma(body)
    read = [*read_digits(text, token, comma)]
    if len(read) != 1 or not read[0].values:
        return None
    if read[0].units:
        return None if text.endswith(" and ", 0, start) else read[0]
    return None if says_which(text, start, read[0].end) else read[0]


def _is_linked(text: str, before: int, start: int, *, are_many: bool) -> bool:
    """Return whether an equals sign or verb is between the last number of a text, which begins at
    `start`, and the numbers before it, and it is no detail of these."""
    lower, equals = lowered(text), text.rfind("=")
    if equals < 0:
        if clauses.EQUALS.search(text):
            return False
        verbs = [*clauses.VERB.finditer(lower, before, start)]
        if not verbs or OF_WHOLE.search(text, before, start):
            return False
        equals = verbs[-1 if are_many else 0].end()
    if not before <= equals < start or clauses.is_negated(text, equals) or is_adjunct(text, start):
        return False
    return not clauses.goes_on_beside(text, lower, start)
