"""An index of a session's results on disk, to read a million results in order, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import BinaryIO

from lve.checkers.contract import Outcome
from lve.errors import SessionError
from lve.files.file_text import keyless_line
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import MAX_LINE_BYTES, result_of_line
from lve.sessions.journal.reading import results_in
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import Pair

BATCH = 1000
"""Rows that are inserted into the index at once."""
MAX_INTEGER = 2**63 - 1
"""Largest integer in SQLite. A forged line may have a larger number."""

_TABLE = """
CREATE TABLE results (
  pair INTEGER, source TEXT, line INTEGER, repeat INTEGER, journal INTEGER, start INTEGER,
  verdict TEXT
)"""
_ORDER = "CREATE INDEX in_order ON results (pair, source, line, repeat, journal, start, verdict)"
_OF_PAIR = """
SELECT journal, start FROM results INDEXED BY in_order
WHERE pair = ? AND verdict != ? ORDER BY source, line, repeat, journal, start"""


class ResultIndex:
    """The results of a session in order, as they were when the index was created.

    Results that a running session adds later aren't in the index. A context manager, because it
    keeps the journals open.
    """

    def __init__(
        self,
        folder: SessionFolder,
        *,
        on_result: Callable[[InstanceResult], object] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """Read all results of a session once.

        Args:
            folder: of the session.
            on_result: called with every result, in the order in which they finished.
            warn: called with messages about damaged lines.

        Raises:
            SessionError: a journal can't be read.
        """
        import sqlite3  # Late, because few commands need it.

        # A database without a name is a temporary file that no other process sees.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(_TABLE)
        self._pairs: dict[Pair, int] = {}
        self._open = ExitStack()
        try:
            self._journals = self._open.enter_context(folder.opened_journals())
            self._read(on_result, warn)
        except BaseException:
            self.close()
            raise

    def _read(
        self,
        on_result: Callable[[InstanceResult], object] | None,
        warn: Callable[[str], None] | None,
    ) -> None:
        rows = self._rows(results_in(self._journals, warn=warn), on_result)
        while batch := list(islice(rows, BATCH)):
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", batch)
            self._database.execute("COMMIT")
        self._database.execute(_ORDER)

    def _rows(
        self,
        located: Iterable[tuple[BinaryIO, int, InstanceResult]],
        on_result: Callable[[InstanceResult], object] | None,
    ) -> Iterator[tuple[int, str, int, int, int, int, str]]:
        numbers = {journal.file: number for number, journal in enumerate(self._journals)}
        for file, start, result in located:
            if on_result is not None:
                on_result(result)
            pair = self._pairs.setdefault((result.test, result.model), len(self._pairs))
            source = result.source.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
            line, repeat = min(result.line, MAX_INTEGER), min(result.repeat, MAX_INTEGER)
            yield pair, source, line, repeat, numbers[file], start, result.verdict

    @property
    def pairs(self) -> list[Pair]:
        """The tests and models that have results, sorted."""
        return sorted(self._pairs)

    def results(
        self, pair: Pair | None = None, *, without: Outcome | None = None
    ) -> Iterator[InstanceResult]:
        """Yield results one by one, sorted by test, model, source, line and repeat.

        Args:
            pair: test and model; None for all.
            without: verdict of results to leave out, without reading them.

        Raises:
            SessionError: a journal can't be read any more.
        """
        for each in self.pairs if pair is None else [pair]:
            wanted = (self._pairs.get(each), without or "")
            for journal, start in self._database.execute(_OF_PAIR, wanted):
                result = self._result_at(self._journals[journal].file, start)
                if result is not None:
                    yield result

    def _result_at(self, journal: BinaryIO, start: int) -> InstanceResult | None:
        try:
            journal.seek(start)
            line = journal.readline(MAX_LINE_BYTES)
        except OSError as error:
            raise SessionError(
                f"results can't be read any more: {error.strerror}", code="session_unreadable"
            ) from error
        return result_of_line(keyless_line(line))

    def close(self) -> None:
        """Close the files."""
        self._open.close()
        self._database.close()

    def __enter__(self) -> ResultIndex:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
