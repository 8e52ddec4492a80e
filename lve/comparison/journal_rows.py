"""Reads only the fields of a journal that pairing needs: several times as fast as whole results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lve.comparison.side import CODES, Hash, Row, hash_args, stable_hash
from lve.documents.json_lines import fast_json_value
from lve.errors import with_code
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal import MAX_LINE_BYTES, bounded_lines, result_of_line
from lve.sessions.journal_reading import OpenedJournal, keyless_line
from lve.sessions.session_file import DamagedLines, cannot_read

_TEXT = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_HEAD = re.compile(rb'\{"version":\d+,"test":(%b),"model":(%b),"source":(%b)' % ((_TEXT,) * 3))
"""The beginning of a line as lve writes it. Most lines begin like an earlier one."""
_LINE = b',"line":'
"""What follows. No text in a line contains this, because its quotes would be escaped."""
_VERDICT = re.compile(
    rb',"line":(\d{1,18}),"repeat":(\d{1,9}),"verdict":"(\w+)","recorded":(?:null|"\w+"),'
    rb'"reason":%b,"args":' % _TEXT
)
_RESPONSES = b',"responses":['
_WRITTEN_CODES = {verdict.encode(): code for verdict, code in CODES.items()}
_ADVISORY = b'"advisory":true}\n'
_LONG_NUMBER = re.compile(rb"\d{19}")
"""In args: possibly an integer of more than 64 bits, which the fast parser rounds."""
_FEWEST_DIGITS = 19
_NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))
"""To count digits before searching, which halves the time."""
MAX_NUMBER = 10**18
MAX_NAMES = 100_000
"""The most beginnings of lines that are kept decoded."""
Names = tuple[str, str, str]
"""Test, model and source."""


def journal_rows(
    journal: OpenedJournal, warn: Callable[[str], None], hash_of: Hash = stable_hash
) -> Iterator[Row]:
    """Yield the results of a journal. `Row.where` is the offset of the line.

    Args:
        journal: the journal, which stays open.
        warn: called with the number of unreadable lines, if any.
        hash_of: the hash function for args.

    Raises:
        SessionError: the file can't be read.
    """
    path, file = journal
    names: dict[bytes, Names] = {}
    damaged, at = DamagedLines(), 0
    try:
        file.seek(0)
        for number, line in enumerate(bounded_lines(file), 1):
            row = _written_row(line, at, names, hash_of) or _parsed_row(line, at, hash_of)
            if row is not None:
                yield row
            elif line.endswith(b"\n"):
                damaged.add(number)
            at = at + len(line) if len(line) > 1 else file.tell()
    except OSError as error:
        raise cannot_read(path, error) from error
    if damaged.count:
        warn(with_code(f"{damaged.place(path)}: {damaged} left out", "left_out"))


def result_at(journal: OpenedJournal, at: int) -> InstanceResult | None:
    """Return the result whose line begins at an offset; None if there is none. What reads the
    journal goes on where it was.

    Args:
        journal: the journal, which stays open.
        at: the offset.

    Raises:
        SessionError: the file can't be read.
    """
    path, file = journal
    try:
        reading = file.tell()
        file.seek(at)
        line = file.readline(MAX_LINE_BYTES)
        file.seek(reading)
    except OSError as error:
        raise cannot_read(path, error) from error
    return result_of_line(keyless_line(line))


def _written_row(line: bytes, at: int, names: dict[bytes, Names], hash_of: Hash) -> Row | None:
    """Return the row of a line in lve's own format; None for another format.

    Matching the beginning is much faster than parsing the whole line.
    """
    start = line.find(_LINE)
    head_names = names.get(line[:start]) or _named(line[:start], names)
    match = _VERDICT.match(line, start)
    if head_names is None or match is None:
        return None
    number, repeat, verdict = match.groups()
    code, begin = _WRITTEN_CODES.get(verdict), match.end()
    end = line.find(_RESPONSES, begin)
    written = line[begin:end]
    if code is None or end < 0 or _has_long_number(written):
        return None
    try:
        args = hash_args(fast_json_value(written), hash_of)
    except (ValueError, AttributeError):  # the args have a field `responses`, or are no object
        return None
    fields = (*head_names, int(number), int(repeat), args, code, at, line.endswith(_ADVISORY))
    return tuple.__new__(Row, fields)  # Row(...) takes twice the time


def _has_long_number(written: bytes) -> bool:
    digits = len(written.translate(None, _NO_DIGITS))
    return digits >= _FEWEST_DIGITS and _LONG_NUMBER.search(written) is not None


def _named(head: bytes, names: dict[bytes, Names]) -> Names | None:
    """Return test, model and source from the beginning of a line, and cache them."""
    match = _HEAD.fullmatch(head)
    if match is None:
        return None
    try:
        test, model, source = map(fast_json_value, match.groups())
    except ValueError:
        return None
    if len(names) >= MAX_NAMES:
        names.clear()
    names[head] = (test, model, source)
    return names[head]


def _parsed_row(line: bytes, at: int, hash_of: Hash) -> Row | None:
    """Return the row of a line in another format; None if it isn't a result."""
    result = result_of_line(line)
    if result is None or max(result.line, result.repeat) > MAX_NUMBER:
        return None
    return Row(
        result.test,
        result.model,
        result.source,
        int(result.line),
        int(result.repeat),
        hash_args(result.args, hash_of),
        CODES[result.verdict],
        at,
        result.advisory,
    )
