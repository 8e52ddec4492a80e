"""The sessions that `lve view` shows: their page, their progress and the labels of answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from tempfile import TemporaryFile
from typing import IO, Any

from lve.data_classes import dataclass, field
from lve.errors import LveError, UsageError
from lve.extension_table import extension_part
from lve.extensions.view.label_file import read_session_labels, write_label
from lve.extensions.view.progress import Progress
from lve.json_types import JsonObject
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded import RecordedSession

BLOCK_BYTES = 1 << 16
MAX_WARNINGS = 100
PAUSE_FACTOR, MIN_PAUSE_S = 4, 2.0
"""After a rebuild of the page, the next one waits `PAUSE_FACTOR` times as long as the rebuild took,
and at least `MIN_PAUSE_S`, so that viewing doesn't slow a running session down."""


@dataclass(slots=True)
class _Page:
    """A built page. Its temporary file is closed when its last reader has finished."""

    file: IO[bytes]
    size: int
    version: str
    fresh_until: float
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Guards the file's position: several threads read the file."""

    def __del__(self) -> None:
        self.file.close()


class ViewedSessions:
    """The sessions of `lve view`. Thread-safe."""

    def __init__(
        self, folders: Sequence[SessionFolder], author: str | None, warn: Callable[[str], None]
    ) -> None:
        """
        Args:
            folders: the sessions' folders, at least one.
            author: the author of new labels.
            warn: called with a message about data that can't be read.
        """
        self._show(folders)
        self._author = author
        self._warn = warn
        self._warned: set[str] = set()
        self._page: _Page | None = None
        self._named: Callable[[], Sequence[SessionFolder]] | None = None
        self._lock = threading.Lock()

    def _show(self, folders: Sequence[SessionFolder]) -> None:
        self._folders = {folder.id: folder for folder in folders}
        self._progress = {folder.id: Progress(folder) for folder in folders}

    def follow(self, named: Callable[[], Sequence[SessionFolder]]) -> None:
        """Show the sessions that some names mean at any time, such as `last` beside `lve watch`.

        Args:
            named: returns the sessions' folders, at least one.
        """
        self._named = named

    def _look_for_others(self) -> None:
        """Show other sessions if the names mean others by now. The page is loaded again then."""
        if self._named is None:
            return
        with suppress(LveError):  # one that is just beginning, or was deleted
            folders = self._named()
            if [folder.id for folder in folders] != [*self._folders]:
                for folder in folders:
                    folder.info()
                with self._lock:
                    self._show(folders)

    def page(self) -> tuple[int, Iterable[bytes]]:
        """Return the length and the blocks of the page.

        Raises:
            SessionError: a session can't be read.
        """
        with self._lock:
            page = self._page
            version = self._version()
            is_old = page is None or (
                page.version != version and time.monotonic() > page.fresh_until
            )
            if page is None or is_old:
                page = self._page = self._made(version)
        return page.size, _blocks(page)

    def state(self) -> Mapping[str, Any]:
        """Return the progress of the sessions.

        Raises:
            SessionError: a session can't be read.
        """
        self._look_for_others()
        sessions = [progress.state() for progress in self._progress.values()]
        page = self._page
        now = time.monotonic()
        return {
            "version": self._version(),
            "rest": 0.0 if page is None else round(max(page.fresh_until - now, 0.0), 1),
            "sessions": sessions,
        }

    def labels(self) -> list[JsonObject]:
        """Return the labels of answers, each with its session.

        Raises:
            SessionError: a labels file can't be read.
        """
        return [
            {"session": name, **label, "own": label.get("author") == self._author}
            for name, folder in self._folders.items()
            for label in read_session_labels(folder.path)
        ]

    def label(self, body: object) -> None:
        """Store a label of an answer, with this user as its author.

        Args:
            body: the request's JSON.

        Raises:
            UsageError: `body` isn't a label of an existing answer.
            SessionError: the label can't be written.
        """
        if not isinstance(body, dict):
            raise UsageError("a label is a JSON object", code="page_request")
        label = {name: value for name, value in body.items() if name not in ("session", "author")}
        folder = self._folders.get(str(body.get("session")))
        if folder is None:
            raise UsageError("this session isn't shown", code="page_request")
        if self._author is not None:
            label["author"] = self._author
        if not self._progress[folder.id].has(_place(label)):
            raise UsageError("the session has no such answer", code="page_request")
        write_label(folder.path, label)

    def close(self) -> None:
        """Close the page, without waiting for a rebuild. Call no other method afterwards."""
        if self._page is not None:
            self._page.file.close()

    def _version(self) -> str:
        progress = self._progress.items()
        return " ".join(f"{name}-{each.state()['version']}" for name, each in progress)

    def _made(self, version: str) -> _Page:
        began = time.monotonic()
        file = TemporaryFile()  # noqa: SIM115 (closed with its last reader)
        with ExitStack() as failed, ExitStack() as stack:
            failed.callback(file.close)
            sessions = [
                stack.enter_context(RecordedSession.of(folder, warn=self._warn_once))
                for folder in self._folders.values()
            ]
            live = {"version": version, "author": self._author}
            extension_part("html report")(sessions, file, live=live)
            file.flush()
            failed.pop_all()
        now = time.monotonic()
        fresh_until = now + max(PAUSE_FACTOR * (now - began), MIN_PAUSE_S)
        return _Page(file, file.tell(), version, fresh_until)

    def _warn_once(self, warning: str) -> None:
        """Print a warning once, because the page is rebuilt again and again."""
        if warning not in self._warned and len(self._warned) < MAX_WARNINGS:
            self._warned.add(warning)
            self._warn(warning)


def _place(label: Mapping[str, object]) -> tuple[str, str, str, int, int]:
    """Return the result that a label is about: test, model, source, line and repeat.

    Raises:
        UsageError: the label lacks one of them.
    """
    test, model, source = (label.get(name) for name in ("test", "model", "source"))
    line, repeat = label.get("line"), label.get("repeat", 0)
    texts = isinstance(test, str) and isinstance(model, str) and isinstance(source, str)
    if not texts or type(line) is not int or type(repeat) is not int:
        raise UsageError(
            "a label names test, model, source and line of an answer", code="page_request"
        )
    return str(test), str(model), str(source), line, repeat


def _blocks(page: _Page) -> Iterator[bytes]:
    """Yield the content of a page in blocks."""
    for start in range(0, page.size, BLOCK_BYTES):
        with page.lock:
            page.file.seek(start)
            block = page.file.read(BLOCK_BYTES)
        yield block
