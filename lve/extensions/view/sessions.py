"""The sessions that `lve view` shows: their page, their progress and the labels of answers."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any

from lve.errors import LveError, UsageError
from lve.extension_table import extension_part
from lve.extensions.view.label_file import read_session_labels, write_label
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import result_id
from lve.sessions.session_folder import SessionFolder

MAX_WARNINGS = 100
_PART = re.compile(
    r"(texts(?=(?:/\d{1,9}){3}$)|comparison(?=(?:/\d{1,9}){2}$))((?:/\d+)+)", re.ASCII
)
PAUSE_FACTOR, MIN_PAUSE_S = 4, 2.0
"""After a rebuild of the page, the next one waits `PAUSE_FACTOR` times as long as the rebuild took,
and at least `MIN_PAUSE_S`, so that viewing doesn't slow a running session down."""


class _Page(NamedTuple):
    """A page as it was made."""

    content: bytes
    version: str
    fresh_until: float


class _WarnOnce:
    """Passes each warning on once, because a session is read again and again."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._warned: set[str] = set()

    def __call__(self, warning: str) -> None:
        if warning not in self._warned and len(self._warned) < MAX_WARNINGS:
            self._warned.add(warning)
            self._warn(warning)


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
        self._author = author
        self._warn = _WarnOnce(warn)
        self._show(folders)
        self._page: _Page | None = None
        self._named: Callable[[], Sequence[SessionFolder]] | None = None
        self._lock = threading.Lock()

    def _show(self, folders: Sequence[SessionFolder]) -> None:
        self._live = extension_part("live page")(folders, self._warn)
        self._folders = {folder.id: folder for folder in folders}

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
                with self._lock:
                    self._show(folders)

    def read_ahead(self) -> None:
        """Begin to make the page, before a browser has started and asks for it."""
        threading.Thread(target=self._page_unasked, daemon=True).start()

    def _page_unasked(self) -> None:
        with suppress(LveError):  # whoever asks is told
            self.page()

    def page(self) -> bytes:
        """Return the page.

        Raises:
            SessionError: a session can't be read.
        """
        with self._lock:
            page = self._page
            version = _version(self._live.state())
            if page is None or (page.version != version and time.monotonic() > page.fresh_until):
                page = self._page = self._made(version)
        return page.content

    def part(self, path: str) -> str | None:
        """Return texts or a comparison of a page, `texts/PAGE/FIRST/COUNT` or `comparison/PAGE/N`;
        None if `path` isn't such.

        Raises:
            UsageError: the page has no such part, or another one is shown by now.
            SessionError: a session can't be read.
        """
        part, live = _PART.fullmatch(path), self._live
        if part is None:
            return None
        numbers = [int(number) for number in part[2].split("/")[1:]]
        text: str = (live.texts if part[1] == "texts" else live.comparison)(*numbers)
        return text

    def state(self) -> Mapping[str, Any]:
        """Return the progress of the sessions.

        Raises:
            SessionError: a session can't be read.
        """
        self._look_for_others()
        sessions = self._live.state()
        page = self._page
        now = time.monotonic()
        return {
            "version": _version(sessions),
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
        if not self._live.has([*self._folders].index(folder.id), result_id(*_place(label))):
            raise UsageError("the session has no such answer", code="page_request")
        write_label(folder.path, label)

    def _made(self, version: str) -> _Page:
        began, file = time.monotonic(), BytesIO()
        self._live.write(file, {"version": version, "author": self._author})
        now = time.monotonic()
        pause = max(PAUSE_FACTOR * (now - began), MIN_PAUSE_S)
        return _Page(file.getvalue(), version, now + pause)


def _version(sessions: Sequence[Mapping[str, Any]]) -> str:
    """Return a text that changes whenever the page of sessions does."""
    return " ".join(f"{each['session']}-{each['version']}" for each in sessions)


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
