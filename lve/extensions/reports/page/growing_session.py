"""Reads a session that may still run: each time only what is new since the last time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, BinaryIO

from lve.data_classes import dataclass
from lve.errors import with_code
from lve.extensions.reports.page.counted_lines import counted_result
from lve.files.file_text import keyless_line
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult, ResultId
from lve.sessions.journal.journal import MAX_LINE_BYTES, bounded_lines, result_of_line
from lve.sessions.journal.reading import (
    OpenedJournal,
    opened_journals,
    superseded,
)
from lve.sessions.listing import listed_status
from lve.sessions.session_file import DamagedLines, cannot_read
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import Pair, SessionInfo
from lve.sessions.session_tests import TESTS_FILE, SessionTest, TestKey, read_tests
from lve.verdicts.recorded_session import (
    SummedSession,
    announce,
    end_finished,
    warn_of_undescribed,
)
from lve.verdicts.summary import Summary

QUIET_S = 10.0
"""After so many seconds without a result, lve checks whether a process still runs the session."""
BATCH, BATCH_BYTES = 64, 1_000_000
"""Results that are read before the first of them is counted, and bytes of their lines. A step for
many takes less time than all steps for each: its code stays in the processor's cache."""
OnResults = Callable[[Sequence[int], Sequence[tuple[InstanceResult, SessionTest]]], object]


class ReadAgainError(Exception):
    """What was read isn't valid any more: all has to be read again, from the beginning."""


@dataclass(slots=True)
class _Journal:
    """A journal, which stays open, and how far it was read."""

    opened: OpenedJournal
    end: int = 0
    """Offset of the next line."""
    lines: int = 0


class GrowingSession:
    """The results of a session so far. Memory grows with its tests and by some 100 bytes per
    result."""

    def __init__(
        self, folder: SessionFolder, warn: Callable[[str], None], *, has_repeats: bool = False
    ) -> None:
        """
        Args:
            folder: of the session.
            warn: called with messages about what can't be read.
            has_repeats: whether a journal is known to have results that later ones replace. If not,
                that is looked for only in a session that was resumed: it takes long.

        Raises:
            SessionError: the session can't be read.
        """
        self.folder = folder
        self._warn = warn
        self._open = ExitStack()
        self._journals: list[_Journal] = []
        self.ids: dict[ResultId, int] = {}
        """Result -> number of its journal."""
        self._cost: float | None = None
        self._status, self._looked = "running", time.monotonic()
        self._summary = Summary()
        self._recorded: dict[TestKey, SessionTest] = {}
        self._described: tuple[int, ...] = ()
        self._resumed = folder.info().get("resumed")
        self._has_repeats = has_repeats or bool(self._resumed)
        self._read_tests()

    @property
    def pairs(self) -> list[Pair]:
        """The tests and models that can have results, sorted."""
        return sorted((test, model) for test, model in self._recorded if model is not None)

    def read_on(self, on_results: OnResults) -> SummedSession:
        """Read what is new, and return the session with all results so far.

        Args:
            on_results: called with new results, several at once, in the order in which they
                finished: with their places for `result_at`; and with what is counted of each
                (`counted_result`) and its test.

        Raises:
            ReadAgainError: a test or a result was replaced, as when a session is resumed.
            SessionError: the session can't be read.
        """
        info = self.folder.info()
        if info.get("resumed") != self._resumed:
            raise ReadAgainError
        self._read_tests()
        self._open_journals()
        for number in range(len(self._journals)):
            for batch in self._new_results(number):
                for _, result in batch:
                    if (result.test, result.model) not in self._recorded:
                        self._read_tests()
                    self._summary.add(result)
                places = [place for place, _ in batch]
                on_results(places, [(result, self.test_of(result)) for _, result in batch])
        end_finished(self._summary, info)
        warn_of_undescribed(self.folder.id, self._summary, self._recorded, self._warn)
        tests = {
            (test, model): self._recorded.get((test, model)) or SessionTest(test, model)
            for test, model in {*self.pairs, *self._summary.tallies}
        }
        return SummedSession(self.folder, info, self._status_of(info), tests, self._summary)

    def progress(self, session: SummedSession) -> dict[str, Any]:
        """Return status, counts and cost so far, as JSON for the page.

        Args:
            session: what `read_on` has returned.
        """
        info, counts = session.info, session.summary.results()
        costs = (self._cost, (info.get("spent") or {}).get("cost"))
        size = sum(journal.end for journal in self._journals)
        return {
            "session": session.id,
            "status": session.status,
            "results": counts.total(),
            "counts": {verdict: count for verdict, count in sorted(counts.items()) if count},
            "tests": len(info.get("tests") or ()),
            "cost": max((cost for cost in costs if cost is not None), default=None),
            "version": f"{size}-{info['status']}-{info.get('ended')}",
        }

    def _status_of(self, info: SessionInfo) -> str:
        """Return the session's status. Whether a process runs it is checked rarely, because the
        check takes the journal's lock for a moment."""
        if info["status"] != "running":
            return str(info["status"])
        if time.monotonic() - self._looked > QUIET_S:
            self._status, self._looked = listed_status(self.folder, info), time.monotonic()
        return self._status

    def test_of(self, result: InstanceResult) -> SessionTest:
        """Return the test of a result, as the session describes it."""
        pair = result.test, result.model
        return self._recorded.get(pair) or SessionTest(*pair)

    def result_at(self, place: int) -> InstanceResult | None:
        """Return the result at a place; None if the file has changed.

        Raises:
            SessionError: the file can't be read.
        """
        path, file = self._journals[place & 0xFFFF].opened
        try:
            file.seek(place >> 16)
            line = file.readline(MAX_LINE_BYTES)
        except OSError as error:
            raise cannot_read(path, error) from error
        return result_of_line(keyless_line(line))

    def close(self) -> None:
        """Close the journals."""
        self._open.close()

    def _read_tests(self) -> None:
        """Read `tests.jsonl` if it has changed. A test is in it before its results are written."""
        try:
            state = (self.folder.path / TESTS_FILE).stat()
        except OSError:
            return
        if self._described == (described := (state.st_size, state.st_mtime_ns)):
            return
        tests = read_tests(self.folder.path, warn=self._warn)
        for key, test in self._recorded.items():
            if key[1] is not None and tests.get(key, test).with_gaps(test) != test:
                raise ReadAgainError
        self._recorded, self._described = tests, described
        summary = self._summary
        for refused in (summary.skipped, summary.unavailable, summary.invalid):
            refused.clear()
        for test in tests.values():
            announce(summary, test)

    def _open_journals(self) -> None:
        """Open the journals that are new: each process of a session has its own. One that was
        merged into another at the end is still read where it is."""
        for path, file in (journal.opened for journal in self._journals):
            with suppress(FileNotFoundError):
                if not os.path.samestat(path.stat(), os.fstat(file.fileno())):
                    raise ReadAgainError
        paths = {journal.opened.path for journal in self._journals}
        new = [path for path in self.folder.journals() if path not in paths]
        self._journals += map(_Journal, self._open.enter_context(opened_journals(new)))

    def _new_results(self, number: int) -> Iterator[list[tuple[int, InstanceResult]]]:
        journal, batch = self._journals[number], list[tuple[int, InstanceResult]]()
        path, file = journal.opened
        damaged, first, began = DamagedLines(), journal.lines, journal.end
        try:
            if file.seek(0, os.SEEK_END) < journal.end:
                raise ReadAgainError
            again = set[int]()
            if self._has_repeats and not first:
                again = superseded(partial(_lines_from, file, 0))
            is_clean = not lasting_redactor().has_secrets
            for line in _lines_from(file, journal.end):
                if not line.endswith(b"\n"):
                    break  # it is still being written
                place = journal.end << 16 | number
                journal.end = journal.end + len(line) if len(line) > 1 else file.tell()
                journal.lines += 1
                result = counted_result(line if is_clean else keyless_line(line))
                if result is None:
                    damaged.add(journal.lines)
                elif self._is_new(result, number, first):
                    self._status, self._looked = "running", time.monotonic()
                    if result.cost is not None:
                        self._cost = (self._cost or 0.0) + result.cost
                    if journal.lines - 1 not in again:
                        batch.append((place, result))
                if len(batch) == BATCH or journal.end - began > BATCH_BYTES:
                    yield batch
                    batch, began = [], journal.end
            yield batch
        except OSError as error:
            raise cannot_read(path, error) from error
        if damaged.count:
            text = f"{damaged.place(path)}: {damaged} left out; a resumed run has them again"
            self._warn(with_code(text, "left_out"))

    def _is_new(self, result: InstanceResult, number: int, first: int) -> bool:
        """Note a result, and return whether it is new: a merge has results in two journals.

        Raises:
            ReadAgainError: it replaces one that may have been counted.
        """
        name = result.id
        if (earlier := self.ids.get(name)) is None:
            self.ids[name] = number
        elif earlier == number and (first or not self._has_repeats):
            raise ReadAgainError
        return earlier in (None, number)


def _lines_from(file: BinaryIO, start: int) -> Iterator[bytes]:
    file.seek(start)
    return bounded_lines(file)
