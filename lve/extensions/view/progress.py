"""The progress of a session, from the journal lines that are new since the last request."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass
from lve.documents.json_lines import fast_json_value
from lve.files.owner_only import open_private
from lve.sessions.instance_result import ResultId, result_id
from lve.sessions.journal import bounded_lines, result_of_line
from lve.sessions.listing import listed_status
from lve.sessions.session_file import cannot_read
from lve.sessions.session_folder import SessionFolder

_PLACE = ("test", "model", "source", "line", "repeat")
_KINDS = (str, str, str, int, int)
_OUTCOMES = get_args(Outcome)
_Read = tuple[ResultId, str, float | None]
"""A result's identity, verdict and cost."""
QUIET_S = 10.0
"""After so many seconds without a result, lve checks whether a process still runs the session."""


@dataclass(slots=True)
class _Journal:
    """How far a journal was read."""

    end: int = 0
    """Offset of the next line."""
    cost: float | None = None
    """Cost of the results so far."""


class Progress:
    """The results of a session so far. Thread-safe."""

    def __init__(self, folder: SessionFolder) -> None:
        """
        Args:
            folder: the session's folder.
        """
        self.folder = folder
        self._journals: dict[Path, _Journal] = {}
        self._verdicts: dict[ResultId, str] = {}
        self._lock = threading.Lock()
        self._changed = self._looked = time.monotonic()
        self._status = ""

    def state(self) -> dict[str, Any]:
        """Return status, counts and cost so far, as JSON for the page.

        Raises:
            SessionError: the session can't be read.
        """
        with self._lock:
            self._read_on()
            info = self.folder.info()
            spent = (info.get("spent") or {}).get("cost")
            costs_so_far = [
                journal.cost for journal in self._journals.values() if journal.cost is not None
            ]
            costs = [
                *([sum(costs_so_far)] if costs_so_far else []),
                *([spent] if spent is not None else []),
            ]
            counts = Counter(self._verdicts.values())
            return {
                "session": self.folder.id,
                "status": self._status_of(info),
                "results": len(self._verdicts),
                "counts": dict(sorted(counts.items())),
                "tests": len(info.get("tests") or ()),
                "cost": max(costs, default=None),
                "version": self._version(info),
            }

    def has(self, place: tuple[str, str, str, int, int]) -> bool:
        """Return whether the session has a result of this test, model, source, line and repeat."""
        with self._lock:
            self._read_on()
            return result_id(*place) in self._verdicts

    def _version(self, info: Any) -> str:
        """Return a text that changes whenever a report of the session changes."""
        size = sum(journal.end for journal in self._journals.values())
        return f"{size}-{info['status']}-{info.get('ended')}"

    def _status_of(self, info: Any) -> str:
        """Return the session's status.

        Whether a process runs the session is checked rarely, because the check takes the journal's
        lock for a moment.
        """
        now = time.monotonic()
        if info["status"] != "running":
            return str(info["status"])
        if now - self._changed > QUIET_S and now - self._looked > QUIET_S:
            self._looked = now
            self._status = listed_status(self.folder, info)
        elif now - self._changed <= QUIET_S:
            self._status = "running"
        return self._status or "running"

    def _read_on(self) -> None:
        paths = self.folder.journals()
        # Each process of a session has its own journal. At the end they are merged into one.
        self._journals = {path: self._journals.get(path) or _Journal() for path in paths}
        for path, journal in self._journals.items():
            for line in self._new_lines(path, journal):
                read = _quickly_read(line) or _wholly_read(line)
                if read is None:
                    continue
                self._changed = time.monotonic()
                place, verdict, cost = read
                self._verdicts[place] = verdict
                if cost is not None:
                    journal.cost = (journal.cost or 0.0) + cost

    def _new_lines(self, path: Path, journal: _Journal) -> Iterator[bytes]:
        """Yield the complete lines that are new since the last call."""
        try:
            with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
                size = file.seek(0, os.SEEK_END)
                if size == journal.end:
                    return
                if size < journal.end:  # it was replaced
                    journal.end, journal.cost = 0, None
                file.seek(journal.end)
                for line in bounded_lines(file):
                    if not line.endswith(b"\n"):
                        return  # the line is still being written
                    journal.end = file.tell()
                    yield line
        except FileNotFoundError:
            return
        except OSError as error:
            raise cannot_read(path, error) from error


def _quickly_read(line: bytes) -> _Read | None:
    """Return what progress needs of a line; None if only `_wholly_read` can say.

    A tenth of the time that a whole result takes: the page that follows reads it all.
    """
    try:
        data = fast_json_value(line)
        place = tuple(data[name] for name in _PLACE)
        verdict, cost = data["verdict"], data["cost"]
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    if tuple(map(type, place)) != _KINDS or verdict not in _OUTCOMES:
        return None
    if not (cost is None or (type(cost) is float and cost >= 0)):
        return None
    return result_id(*place), verdict, cost


def _wholly_read(line: bytes) -> _Read | None:
    result = result_of_line(line)
    return None if result is None else (result.id, result.verdict, result.cost)
