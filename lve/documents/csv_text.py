"""Reads CSV texts record by record, and says where one isn't valid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lve.documents.position_types import Finding

MAX_RECORD = 16_000_000
"""Maximum length of a record, in characters. None of its cells has a limit of its own."""
_TWICE = 'a quote within quotes is written twice: ""'
_QUOTED = r'"[^"]*(?:""[^"]*)*"(?!")'


def delimiter_of(header: str) -> str:
    """Return what separates the columns of a header: a comma, or what spreadsheets write instead
    (semicolons where the comma is the decimal sign, tabs, bars)."""
    bare = re.sub(r'"[^"]*("|\Z)', "", header)
    return next((sign for sign in ",;\t|" if sign in bare), ",")


def csv_records(
    lines: Iterable[str], delimiter: str = ",", max_chars: int = MAX_RECORD
) -> Iterator[tuple[int, list[str] | Finding]]:
    """Yield the line (from 1) at which each record begins, and its cells, or why it isn't valid.

    A record whose quotes are wrong would otherwise be read as another text than it says. The
    records after it are read, unless it is too long.

    Args:
        lines: the lines of the text, with their ends.
        delimiter: the character between cells.
        max_chars: maximum length of a record.
    """
    import csv  # late: few tests have such a table

    csv.field_size_limit(max(csv.field_size_limit(), max_chars))  # the process has only one
    record: list[str] = []
    reader = csv.reader(_bounded(lines, record, max_chars), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        record.clear()
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, _fault(record, line, delimiter, error)


def _bounded(lines: Iterable[str], record: list[str], max_chars: int) -> Iterator[str]:
    """Yield lines, and append them to `record`, which is emptied when a record ends."""
    size = 0
    for line in lines:
        size = len(line) + (size if record else 0)
        record.append(line)
        if size > max_chars:
            record.clear()  # its quotes may be right
            limit = f"{max_chars // 1_000_000} MB"
            from csv import Error

            raise Error(f"the line is longer than {limit}; the rest of the file is not read")
        yield line


def _fault(record: list[str], line: int, delimiter: str, error: Exception) -> Finding:
    """Return what is wrong with the quotes of a record, and where.

    Args:
        record: its lines.
        line: the number of the first.
        delimiter: the character between cells.
        error: what the reader says, for a record whose quotes are right.
    """
    text, at = "".join(record), 0
    sign = re.escape(delimiter)
    cell = re.compile(f'(?:{_QUOTED}|[^"{sign}][^{sign}]*|){sign}')
    while match := cell.match(text, at):
        at = match.end()
    message, hint = "a quote is never closed", f"close it; {_TWICE}"
    if not text.startswith('"', at):
        return Finding(f"not valid CSV: {error}", line, 1, code="csv")
    if quoted := re.compile(_QUOTED).match(text, at):
        at = quoted.end()
        message = "text after a closing quote"
        hint = f'{_TWICE}, not \\"' if '\\"' in text[:at] else _TWICE
    for number, part in enumerate(record, line):
        if at < len(part):
            return Finding(message, number, at + 1, hint=hint, code="csv")
        at -= len(part)
    return Finding(message, line, 1, hint=hint, code="csv")
