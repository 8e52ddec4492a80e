"""`.csv`: a table that is safe to open in a spreadsheet.

A spreadsheet runs a cell that begins like a formula, and model output may (`=HYPERLINK(...)`,
`=cmd|' /C calc'!A0`). Such a text gets an apostrophe in front, and so does one that has an
apostrophe there already: who reads the file takes one away from every text that begins with one.
"""

from __future__ import annotations

import csv
import io
import re
import string
from collections.abc import Sequence
from typing import BinaryIO

from lve.reporting.files.columns import COLUMNS, Value, rows
from lve.verdicts.recorded import RecordedSession

# Spreadsheets skip blanks (of every alphabet) and characters that nobody sees, split unquoted
# cells at tabs and line ends, and take the full-width forms for the plain ones.
_FORMULA = re.compile(
    r"[\s\x00-\x20\x7f-\xa0\u200b-\u200f\u2028\u2029\u2060\ufeff]*[=+\-@＝＋－＠']"
)
_HARMLESS = frozenset(["", *string.ascii_letters, *string.digits, *"[{("])
"""Most texts begin with one of these; looking for a formula takes longer."""
_BLANK = re.compile(r"[\t\r\n]")
_NUMBER = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""No reader takes a NUL, and half a surrogate pair is no character."""


def write_csv(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a row per instance and repeat, in UTF-8 with the mark by which spreadsheets know it."""
    stream = io.TextIOWrapper(file, "utf-8-sig", newline="")
    # All texts in quotes: some spreadsheets split others at semicolons and tabs, too, and what
    # stands behind one would begin a cell.
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    csv.writer(stream).writerow([column.name for column in COLUMNS])
    for row in rows(sessions):
        writer.writerow([cell(column.value(row)) for column in COLUMNS])
    stream.flush()
    stream.detach()


def cell(value: Value) -> Value:
    """Return a value as it may stand in a cell."""
    if not isinstance(value, str):
        return ("true" if value else "false") if isinstance(value, bool) else value
    text = value
    if "\x00" in value or not value.isascii():
        text = _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if text[:1] in _HARMLESS:
        return text
    if _NUMBER.fullmatch(text):  # a negative number is a number, and runs nothing
        return text
    return f"'{text}" if _FORMULA.match(text) or _BLANK.match(text) else text
