"""The page of sessions that may still run. It keeps what it has read and compressed, so that a page
with a few more results takes little. The texts of results aren't in it: it asks for them."""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, BinaryIO

from lve.errors import UsageError
from lve.extensions.reports.page.chunks import QUICK_LEVEL, Chunks, packed_details
from lve.extensions.reports.page.comparisons import PageComparison, compared, pairs_of
from lve.extensions.reports.page.growing_session import GrowingSession, ReadAgainError
from lve.extensions.reports.page.html_file import page_parts
from lve.extensions.reports.page.latency import Latencies
from lve.extensions.reports.page.summary import Errors, summary_of, title_of
from lve.sessions.instance_result import InstanceResult, ResultId
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded_session import SummedSession

MOST_ROWS = 1024
"""Results whose texts are sent at once."""
SLOW_S, REST_FACTOR = 1.0, 4
"""Sessions that take longer to read again are left alone for so many times as long afterwards: one
that is resumed may replace a result each second."""
_NUMBERS = count(1)
_GONE = InstanceResult(
    test="",
    model="",
    source="",
    line=1,
    repeat=0,
    args={},
    verdict="error",
    reason="this result can't be read any more",
)


class LivePage:
    """The page of sessions so far. Thread-safe.

    Results are numbered in the order in which they finished, so that a page which was opened
    earlier can go on asking for texts. Its files are closed with its last reader.
    """

    def __init__(self, folders: Sequence[SessionFolder], warn: Callable[[str], None]) -> None:
        """
        Args:
            folders: the sessions' folders, at least one.
            warn: called with messages about what can't be read.

        Raises:
            SessionError: a session can't be read.
        """
        self._folders = folders
        self._warn = warn
        self._lock = threading.Lock()
        self._latest: list[SummedSession] = []
        self._rests_until = 0.0
        self._begin(has_repeats=False)

    def _begin(self, *, has_repeats: bool) -> None:
        self._number = next(_NUMBERS)
        self._errors, self._latencies = Errors(), Latencies()
        self._chunks = Chunks(QUICK_LEVEL)
        self._sessions: list[GrowingSession] = []
        self._sessions += [
            GrowingSession(folder, self._warn, has_repeats=has_repeats) for folder in self._folders
        ]
        self._places, self._session_of = array("q"), array("H")
        for test, model in sorted(pair for session in self._sessions for pair in session.pairs):
            self._chunks.tests.of(test)
            self._chunks.models.of(model)
        self._is_stale = False

    def write(self, file: BinaryIO, live: Mapping[str, object]) -> None:
        """Write the page with all results so far.

        Args:
            file: where it is written.
            live: what the page is told about its server.

        Raises:
            SessionError: a session can't be read.
        """
        with self._lock:
            sessions, chunks = self._read_on(), self._chunks
            pairs = [PageComparison(*pair.names, pair.models) for pair in pairs_of(sessions)]
            summary = {
                **summary_of(sessions, chunks, self._errors, self._latencies),
                "comparisons": [pair.heading() for pair in pairs],
            }
            live = {**live, "number": self._number}
            for part in page_parts(title_of(sessions), summary, chunks.columns(), live):
                file.write(part.encode("utf-8", "replace"))

    def state(self) -> list[dict[str, Any]]:
        """Return the progress of each session, as JSON for the page.

        Raises:
            SessionError: a session can't be read.
        """
        with self._lock:
            states = [
                reader.progress(session)
                for session, reader in zip(self._read_on(), self._sessions, strict=True)
            ]
            return [{**each, "version": f"{self._number}-{each['version']}"} for each in states]

    def has(self, session: int, result: ResultId) -> bool:
        """Return whether a session, by its number, has a result; it may have arrived while the
        page rests."""
        with self._lock:
            self._read_on()
            if result in self._sessions[session].ids:
                return True
            is_resting = self._is_stale
        return is_resting and any(each.id == result for each in self._folders[session].results())

    def texts(self, number: int, first: int, amount: int) -> str:
        """Return the texts of some results as a chunk of details.

        Args:
            number: which page asks, as it was told.
            first: the number of the first result.
            amount: how many results at most. There are fewer if their texts are long.

        Raises:
            UsageError: there are no such results.
            SessionError: a session can't be read any more.
        """
        with self._lock:
            self._require(number, first, len(self._places))
            last = min(first + min(amount, MOST_ROWS), len(self._places))
            return packed_details(first, map(self._result, range(first, last)))

    def comparison(self, number: int, pair: int) -> str:
        """Return a comparison of the page as a chunk; arguments and errors are as for `texts`."""
        with self._lock:
            pairs = pairs_of(self._read_on())
            self._require(number, pair, len(pairs))
        comparison = compared(pairs[pair])
        if comparison.problem:
            raise UsageError(comparison.problem, code="nothing_to_compare")
        return comparison.text

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        self._chunks.__exit__(None, None, None)
        for session in self._sessions:
            session.close()

    def _require(self, number: int, place: int, end: int) -> None:
        if number != self._number or place >= end:
            raise UsageError("the session was read again: load the page again", code="page_request")

    def _read_on(self) -> list[SummedSession]:
        if not self._is_stale:
            self._is_stale = True  # whatever goes wrong, a part of what was read isn't counted yet
            with suppress(ReadAgainError):
                self._latest = [
                    session.read_on(partial(self._add, number))
                    for number, session in enumerate(self._sessions)
                ]
                self._is_stale = False
        began = time.monotonic()
        if self._is_stale and began >= self._rests_until:
            self._close()
            self._begin(has_repeats=True)
            self._read_on()
            if (took := time.monotonic() - began) >= SLOW_S:
                self._rests_until = time.monotonic() + REST_FACTOR * took
        return self._latest

    def _add(
        self,
        session: int,
        places: Sequence[int],
        results: Sequence[tuple[InstanceResult, SessionTest]],
    ) -> None:
        self._places.extend(places)
        self._session_of.extend([session] * len(places))
        self._chunks.add_columns(session, results)
        models = self._chunks.models
        for result, _ in results:
            self._errors.add(result)
            self._latencies.add(models[result.model], result.latency_s)

    def _result(self, row: int) -> tuple[InstanceResult, SessionTest]:
        session = self._sessions[self._session_of[row]]
        result = session.result_at(self._places[row]) or _GONE
        return result, session.test_of(result)
