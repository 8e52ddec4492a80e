"""Finds the number that an answer states in bold: "Tom is **36**, and his sister is 30"."""

from __future__ import annotations

import re

from lve.checkers.extract.numerals.clauses import is_denied
from lve.checkers.extract.numerals.number_notation import cleaned
from lve.checkers.extract.numerals.statement_reader import StatementReader
from lve.checkers.extract.quantities.digit_groups import whole
from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.judging_limits import MAX_DIGITS
from lve.checkers.shape.characters import without_marks
from lve.checkers.shape.patterns import pattern

_BOLD = re.compile(r"\*\*(?!\s)([^*\n]{1,200}?)(?<!\s)\*\*")
_DIGIT = re.compile(r"\d")
_PROSE = re.compile(r"[^\W\d_]{2}")
_ITEM = re.compile(r"\s*(?:[-*•|]|\d{1,3}[.)])\s")
_CONCLUDES = re.compile(pattern("concludes"))


def emphasised(body: str, reader: StatementReader) -> Quantity | None:
    """Return the number in the only bold text with one, of the answer or of its last line with
    numbers; None where that is a heading, an item, denied, or what follows concludes something.

    Args:
        body: an answer without corrections and code.
        reader: reads its statements.
    """
    if "**" not in body:
        return None
    spans = [bold for bold in _BOLD.finditer(body) if _DIGIT.search(bold[1])]
    if not spans:
        return None
    bold = spans[-1]
    line = body.rfind("\n", 0, bold.start()) + 1
    before, after = body[line : bold.start()], body[bold.end() :]
    if len(spans) > 1 and (spans[-2].start() >= line or _DIGIT.search(after.partition("\n")[2])):
        return None
    if bold[1].endswith(":") or after.startswith(":") or _ITEM.match(before):
        return None
    if not _PROSE.search(before + after) or _CONCLUDES.search(after):
        return None
    is_bare = bold[1].isdecimal() and len(bold[1]) < MAX_DIGITS
    bare = Quantity(0, len(bold[1]), whole(bold[1])) if is_bare else None
    number = bare or reader.in_statement(cleaned(bold[1]))
    sentence = cleaned(without_marks(before))
    is_out = number is not None and is_denied(f"{sentence} {bold[1]}", _moved(number, sentence))
    return None if is_out else number


def _moved(number: Quantity, before: str) -> Quantity:
    return number._replace(start=number.start + len(before) + 1, end=number.end + len(before) + 1)
