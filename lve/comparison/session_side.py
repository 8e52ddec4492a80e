"""A session as one side of a comparison. Only the fields of a journal that pairing needs are read:
several times as fast as whole results."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

from lve.comparison.side import CODES, Hash, Row, SideFacts, hash_args, stable_hash
from lve.documents.json_lines import fast_json_value
from lve.errors import with_code
from lve.files.file_text import keyless_line
from lve.options.run_options import DEFAULTS, PICKING, word_of
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import MAX_LINE_BYTES, bounded_lines, result_of_line
from lve.sessions.journal.reading import OpenedJournal
from lve.sessions.session_file import DamagedLines, cannot_read
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo

OFFSET_BITS = 48
"""The lower bits of `Row.where` are an offset in a journal; the upper bits are its index."""
DESELECTED = "deselected by pytest"
"""What `SideFacts.picked` says of `-k`, `-m` and the like of pytest."""
_OFFSET = (1 << OFFSET_BITS) - 1


class SessionSide:
    """The results in the folder of a session. It keeps the journals open, so that all are there to
    the end, whatever is merged meanwhile."""

    def __init__(self, folder: SessionFolder, *, warn: Callable[[str], None]) -> None:
        """Read the facts of a session.

        Args:
            folder: the session's folder.
            warn: called with the number of unreadable lines, if any.

        Raises:
            SessionError: the session can't be read.
        """
        files = ExitStack()
        weakref.finalize(self, files.close)
        self._journals = files.enter_context(folder.opened_journals())
        self._warn = warn
        info = folder.info()
        models = tuple(info.get("models") or ()) or self._models_in_results()
        self.facts = SideFacts(
            name=f"session {folder.id}",
            short=folder.id,
            started=str(info["started"]),
            commit=(info.get("git") or {}).get("commit"),
            models=models,
            sums=info.get("tests") or {},
            options=info["options"],
            picked=_picked(info),
            ended="" if info["status"] == "complete" else str(info["status"]),
            roles=info.get("roles") or {},
            served=_served(info.get("summary")),
            lve=(info.get("versions") or {}).get("lve"),
        )

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results. What a merge, or a killed one, has in two journals comes once."""
        if len(self._journals) == 1:
            yield from journal_rows(self._journals[0], self._warn, hash_of)
            return
        earlier: set[int] = set()
        for number, journal in enumerate(self._journals):
            here: set[int] = set()
            for row in journal_rows(journal, self._warn, hash_of):
                if (
                    key := hash(row._replace(where=0, verdict=0, is_advisory=False))
                ) not in earlier:
                    here.add(key)
                    yield row._replace(where=row.where | number << OFFSET_BITS)
            earlier |= here

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result.

        Raises:
            SessionError: its journal can't be read.
        """
        return result_at(self._journals[where >> OFFSET_BITS], where & _OFFSET)

    def _models_in_results(self) -> tuple[str, ...]:
        """Return the models of the results, for a session that doesn't list its models."""
        return tuple(dict.fromkeys(row.model for row in self.rows()))


def _picked(info: SessionInfo) -> tuple[str, ...]:
    """Return what left out tests or instances: options, or pytest's own selection."""
    options = info["options"]
    option_words = (
        word_of(name)
        for name in ("tags", *PICKING)
        if options.get(name) not in (None, [], getattr(DEFAULTS, name))
    )
    return (*option_words, *([DESELECTED] if info.get("deselected") else ()))


def _served(summary: object) -> Mapping[str, tuple[str, ...]]:
    """Return the served models in a summary. Its types are checked here, because the schema doesn't
    check them and the file may be forged."""
    models = summary.get("served_models") if isinstance(summary, Mapping) else None
    if not isinstance(models, Mapping):
        return {}
    return {
        str(model): tuple(str(name) for name in names)
        for model, names in models.items()
        if isinstance(names, list)
    }


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
