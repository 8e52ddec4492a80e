"""Reads a session that may still run: each time only what is new since the last time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from typing import Any

from lve.errors import with_code
from lve.extensions.reports.page.counted_lines import counted_results
from lve.extensions.reports.page.counting import count_results
from lve.extensions.reports.page.journal_lines import ReadJournal, lines_from
from lve.files.file_text import keyless_line
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult, ResultId
from lve.sessions.journal.journal import MAX_LINE_BYTES, result_of_line
from lve.sessions.journal.reading import (
    opened_journals,
    superseded,
)
from lve.sessions.listing import listed_status
from lve.sessions.session_file import DamagedLines, cannot_read
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import Pair, SessionInfo
from lve.sessions.session_tests import TESTS_FILE, SessionTest, TestKey, read_tests
from lve.spec.spec import Expectation
from lve.verdicts.recorded_session import (
    SummedSession,
    announce,
    end_finished,
    warn_of_undescribed,
)
from lve.verdicts.summary import Summary

QUIET_S = 10.0
"""After so many seconds without a result, lve checks whether a process still runs the session."""
BATCH, BATCH_BYTES = 4096, 8_000_000
"""Results that are read before the first of them is counted, and bytes of their lines. A step for
many takes less time than all steps for each: its code stays in the processor's cache, and so does
what is counted of a test if its results are counted together."""
OnResults = Callable[[Sequence[int], Sequence[tuple[InstanceResult, SessionTest]]], object]


class ReadAgainError(Exception):
    """What was read isn't valid any more: all has to be read again, from the beginning."""


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
        self._journals: list[ReadJournal] = []
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
            for new in self._new_results(number):
                if new:
                    self._status, self._looked = "running", time.monotonic()
                tests = self._count([result for _, result in new])
                on_results(
                    [place for place, _ in new],
                    [(result, tests[result.test, result.model]) for _, result in new],
                )
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

    def _count(self, results: Sequence[InstanceResult]) -> dict[Pair, SessionTest]:
        """Count results, and return their tests. Those of a test are counted together: what is
        counted for it stays in the processor's cache."""
        of_tests: dict[Pair, list[InstanceResult]] = {}
        for result in results:
            pair = result.test, result.model
            (of_tests.get(pair) or of_tests.setdefault(pair, [])).append(result)
        for pair, own in of_tests.items():
            if pair not in self._recorded:
                self._read_tests()
            tally = self._summary.tallies.get(pair) or self._summary.expect(*pair, Expectation())
            count_results(tally, own)
        return {pair: self.test_of(own[0]) for pair, own in of_tests.items()}

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
        self._journals += map(ReadJournal, self._open.enter_context(opened_journals(new)))

    def _new_results(self, number: int) -> Iterator[list[tuple[int, InstanceResult]]]:
        """Yield the new results in a journal, several at once, each with its place."""
        journal, damaged = self._journals[number], DamagedLines()
        path, file = journal.opened
        first, began = journal.lines, journal.end
        try:
            if file.seek(0, os.SEEK_END) < journal.end:
                raise ReadAgainError
            again = set[int]()
            if self._has_repeats and not first:
                again = superseded(partial(lines_from, file, 0))
            is_clean = not lasting_redactor().has_secrets
            new = list[tuple[int, InstanceResult]]()
            for line, starts, lines in journal.new_lines():
                read = counted_results(lines if is_clean else [*map(keyless_line, lines)])
                places = [start << 16 | number for start in starts]
                results = [each for each in read if each is not None]
                if not again and len(results) == len(read) and self._are_new(results, number):
                    new += zip(places, results, strict=False)
                    read = []
                for each, place, result in zip(count(line), places, read, strict=False):
                    if result is None:
                        damaged.add(each + 1)
                    elif self._is_new(result, number, first) and each not in again:
                        new.append((place, result))
                if len(new) >= BATCH or journal.end - began > BATCH_BYTES:
                    yield new
                    new, began = [], journal.end
            yield new
        except OSError as error:
            raise cannot_read(path, error) from error
        if damaged.count:
            text = f"{damaged.place(path)}: {damaged} left out; a resumed run has them again"
            self._warn(with_code(text, "left_out"))

    def _are_new(self, results: Sequence[InstanceResult], number: int) -> bool:
        """Note results if all of them surely are new, as nearly always, and return whether."""
        names = [each.id for each in results]
        if len({*names}) < len(names) or not self.ids.keys().isdisjoint(names):
            return False
        self.ids.update(dict.fromkeys(names, number))
        costs = [each.cost for each in results if each.cost is not None]
        if costs:
            self._cost = sum(costs, self._cost or 0.0)
        return True

    def _is_new(self, result: InstanceResult, number: int, first: int) -> bool:
        """Note a result, and return whether it is new: a merge has results in two journals.

        Raises:
            ReadAgainError: it replaces one that may have been counted.
        """
        name, cost = result.id, result.cost
        if (earlier := self.ids.get(name)) is None:
            self.ids[name] = number
        elif earlier == number and (first or not self._has_repeats):
            raise ReadAgainError
        elif earlier != number:
            return False
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
        return True
