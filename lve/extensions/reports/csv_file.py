"""`.csv`: a table that is safe to open in a spreadsheet.

A spreadsheet runs a cell that begins like a formula, and the output of a model may begin so
(`=HYPERLINK(...)`, `=cmd|' /C calc'!A0`). So such a text gets a leading apostrophe, and a text that
already begins with an apostrophe gets another one. To get the original texts back, remove one
leading apostrophe from every text that has one.
"""

from __future__ import annotations

import csv
import io
import re
import string
from collections.abc import Sequence
from typing import BinaryIO

from lve.extensions.reports.columns import Value, columns_of, rows
from lve.verdicts.recorded_session import RecordedSession

# Spreadsheets skip whitespace (of every script) and invisible characters, split unquoted cells at
# tabs and line ends, and treat full-width characters like plain ones.
_FORMULA = re.compile(
    r"[\s\x00-\x20\x7f-\xa0\u200b-\u200f\u2028\u2029\u2060\ufeff]*[=+\-@＝＋－＠']"
)
_HARMLESS = frozenset(["", *string.ascii_letters, *string.digits, *"[{("])
"""First characters of most texts, none of which begins a formula. Checked first, for speed."""
_BLANK = re.compile(r"[\t\r\n]")
_NUMBER = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""NUL, which readers refuse, and halves of surrogate pairs, which UTF-8 can't encode."""


def write_csv(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a row per instance and repeat, in UTF-8 with a byte order mark, which spreadsheets
    need to recognize UTF-8."""
    stream = io.TextIOWrapper(file, "utf-8-sig", newline="")
    # All texts are quoted: some spreadsheets also split at semicolons and tabs, and the rest of the
    # text would begin a cell of its own.
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    columns = columns_of(sessions)
    csv.writer(stream).writerow([cell(column.name) for column in columns])
    for row in rows(sessions):
        writer.writerow([cell(column.value(row)) for column in columns])
    # Written to the file, which stays open.
    stream.detach()


def cell(value: Value) -> Value:
    """Return a value in a form that is safe in a cell."""
    if not isinstance(value, str):
        return ("true" if value else "false") if isinstance(value, bool) else value
    text = value
    if "\x00" in value or not value.isascii():
        text = _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
    if text[:1] in _HARMLESS:
        return text
    if _NUMBER.fullmatch(text):  # a negative number is no formula
        return text
    return f"'{text}" if _FORMULA.match(text) or _BLANK.match(text) else text
