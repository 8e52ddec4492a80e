"""Reads the number of an answer in plain prose from the last sentence that has a digit, where
nothing announces, corrects or encloses another number: the same as all the rules come to, sooner.
"""

from __future__ import annotations

import re

from lve.checkers.extract.numerals.emphasis import emphasised
from lve.checkers.extract.numerals.number_notation import cleaned
from lve.checkers.extract.numerals.opening import opening_sentence
from lve.checkers.extract.numerals.sentence_order import is_first
from lve.checkers.extract.numerals.statement_reader import StatementReader
from lve.checkers.extract.numerals.zero_answers import NONE_BECAUSE
from lve.checkers.extract.quantities.digit_groups import has_decimal_comma, whole
from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.extract.quantities.quantity_patterns import begins_with_word, has_number_word
from lve.checkers.shape import cues, passages
from lve.checkers.shape.answer_parts import MAX_READ, Statement, answer_body
from lve.checkers.shape.characters import plain_notation, without_marks

_PROSE = re.compile(r"[ !\"$-/0-:=?@A-Z^a-z\n]*")
"""Characters without tags, boxes, code blocks, headings, quoted lines and alternatives."""
_BARE = re.compile(r"([0-9]{1,15})[.!]?")
_LAST_DIGIT = re.compile(r"(?s:.*)[0-9]")
_BREAK = re.compile(r"[.!?]\s|\n")
"""Where a sentence may end."""


def plain_quantity(text: str) -> Quantity | None:
    """Return the quantity that an answer in plain prose settles on, where nobody asks for a unit;
    None if there is more to read."""
    is_prose = len(text) <= MAX_READ and _PROSE.fullmatch(text) is not None
    if not is_prose or '":' in text or "A:" in text or ":\n" in text or NONE_BECAUSE.match(text):
        return None
    body = answer_body(text) if "\n" in text else plain_notation(text.strip())
    plain = without_marks(body) if "*" in body else body
    present, digit = cues.cues(plain), _LAST_DIGIT.match(plain)
    if present & cues.NOTE or digit is None or not begins_with_word(plain):
        return None
    if present & (cues.CORRECTION | cues.CONCESSION) and passages.corrected_from(plain):
        return None
    reader = StatementReader(body, ())
    number = _said(plain, present, reader)
    # Beside a year, numbers in words or another year may stand.
    return None if reader.restated or (number and is_year(number)) else number


def is_year(number: Quantity) -> bool:
    """Return whether a number can be a year."""
    value = number.values[0]
    return number.units is None and 1_000 <= value.numerator // value.denominator < 2_100


def _said(plain: str, present: int, reader: StatementReader) -> Quantity | None:
    """Return the number that an answer announces, emphasises or ends with."""
    body = reader.body
    if present & cues.ANNOUNCEMENT and (announced := passages.announced(plain)):
        return _announced_number(plain, announced[0], reader)
    if bold := emphasised(body, reader):
        return bold
    if opening_sentence(plain) is not None:
        return None
    digit = _LAST_DIGIT.match(plain)
    assert digit is not None
    start, end = passages.sentence_at(plain, digit.end() - 1)
    sentence, rest = plain[start:end].strip(), plain[end:].lstrip("\n ")
    if len(sentence) > passages.MAX_PASSAGE or not is_first(sentence, plain[:start]):
        return None
    is_chatter = present & cues.CLOSING and passages.is_chatter(sentence)
    if is_chatter or not _has_no_number(rest, present, body):
        return None
    return reader.in_sentence(cleaned(sentence))


def _announced_number(
    plain: str, passage: passages.Passage, reader: StatementReader
) -> Quantity | None:
    """Return the number that an answer announces last; None if that is somebody else's, a
    quotation or a total from which the answer may compute on."""
    computes_on = passage.interim and "=" in plain[passage.start :]
    if computes_on or passage.other or '"' in plain:
        return None
    statement = Statement("marked", plain[passage.start : passage.end].strip())
    if bare := _BARE.fullmatch(statement.text):
        return Quantity(0, bare.end(1), whole(bare[1]), place=statement.place)
    number = reader.in_statement(cleaned(statement.text))
    return number._replace(place=statement.place) if number else None


def _has_no_number(rest: str, present: int, body: str) -> bool:
    """Return whether the rest of an answer certainly has no number, in words of any language."""
    is_one = present & cues.CLOSING and not _BREAK.search(rest)
    if not rest or (is_one and passages.is_chatter(rest)):
        return True
    is_short = len(_BREAK.findall(rest)) < passages.MAX_PASSAGES - 1
    return is_short and not has_number_word(rest) and has_decimal_comma(body) is False
