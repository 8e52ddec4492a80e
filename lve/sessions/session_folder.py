"""The folder of a session: `.lve/runs/<id>/` with `session.json` and `results.jsonl`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from lve.documents.json_lines import plain
from lve.errors import NoSessionError, SessionError
from lve.escape import excerpt
from lve.files.owner_only import make_private_folder
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.secrets.secret_values import public_options
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import OpenedJournal, opened_journals, results_in
from lve.sessions.session_file import (
    INFO_FILE,
    RUNS_FOLDER,
    VERSION,
    cannot_create,
    info_in,
    make_runs_folder,
    new_id,
    read_session_file,
    replace_result_file,
    session_ids,
    session_lines,
)
from lve.sessions.session_info import SessionInfo, Status, info_text, lines_of_tests, without_tests
from lve.sessions.storage import storage_here

RESULTS_FILE = "results.jsonl"
PART_JOURNALS = "results-*.jsonl"
"""Journals of processes that run a session together."""
LAST = "last"
_LAST = re.compile(r"last(~\d{1,6})?")


class SessionFolder(NamedTuple):
    """The files of one session."""

    path: Path

    @property
    def id(self) -> str:
        """Its id, such as `20261121-113510-042-k7f3`. Ids sort by time."""
        return self.path.name

    @property
    def results_file(self) -> Path:
        """The journal."""
        return self.path / RESULTS_FILE

    @property
    def has_results(self) -> bool:
        """Whether any journal has content."""
        return any(file.stat().st_size > 0 for file in self.journals())

    @property
    def has_parts(self) -> bool:
        """Whether it has unmerged journals, because the processes that ran it were killed."""
        return any(self.path.glob(PART_JOURNALS))

    def journals(self) -> list[Path]:
        """Return the paths of its journals: one, or one per process that runs it."""
        return [
            file
            for file in (self.results_file, *sorted(self.path.glob(PART_JOURNALS)))
            if file.exists()
        ]

    @classmethod
    def create(
        cls, session_dir: Path, info: SessionInfo, *, now: Callable[[], datetime] | None = None
    ) -> SessionFolder:
        """Create the folder of a new session.

        Args:
            session_dir: `workspace.session_dir`.
            info: for `session.json`: `versions`, `git`, `options`, `models`, `tests`, ...
                (schemas/session.schema.json). Options with names of secrets are redacted.
            now: the clock.

        Raises:
            SessionError: the folder can't be created.
        """
        started = (now or _utc_now)()
        while True:  # until no other session has the id
            session, is_new = cls.share(session_dir, new_id(started), info, started=started)
            if is_new:
                return session

    @classmethod
    def share(
        cls, session_dir: Path, name: str, info: SessionInfo, *, started: datetime | None = None
    ) -> tuple[SessionFolder, bool]:
        """Return the folder of a session that several processes run together, and whether this
        process has created it.

        Args:
            session_dir: `workspace.session_dir`.
            name: id of the session (`new_id`), the same in all processes.
            info: as in `create`.
            started: when the session began; None: now.

        Raises:
            SessionError: the folder can't be created.
        """
        runs = make_runs_folder(session_dir)
        session = cls(runs / name)
        try:
            make_private_folder(session.path, exist_ok=False)
        except FileExistsError:
            return session, False
        except OSError as error:
            raise cannot_create(runs, error) from error
        session.write(
            {
                "version": VERSION,
                "session": name,
                "status": "running",
                "started": _stamp(started or _utc_now()),
                "ended": None,
                "resumed": [],
                "paths": [],
                **info,
            }
        )
        return session, True

    @classmethod
    def find(
        cls,
        session_dir: Path,
        name: str = LAST,
        *,
        warn: Callable[[str], None] | None = None,
        only_here: bool = False,
    ) -> SessionFolder:
        """Return an earlier session. One that isn't on this machine is downloaded from the team's
        store, if there is one.

        Args:
            session_dir: `workspace.session_dir`.
            name: `last`, `last~1` (the one before it), an id, the beginning of exactly one id, or
                the path of a session in that folder. The last session is the latest one that has
                results or instances left to run.
            warn: called for each damaged session that `last` skips.
            only_here: whether the session must be on this machine, so that it can be resumed.

        Raises:
            NoSessionError: there is no such session, or several match.
            SessionError: the store can't be used, or the session in it is damaged.
        """
        runs = session_dir / RUNS_FOLDER
        names, name = session_ids(session_dir), _as_id(name, runs)
        is_last = _LAST.fullmatch(name) is not None
        is_elsewhere = not (is_last or only_here or any(id_.startswith(name) for id_ in names))
        if is_elsewhere and (place := storage_here().download(session_dir, name)) is not None:
            return cls(place)
        if not names:
            raise NoSessionError(f"there is no session in {runs} yet: `lve run` makes one")
        if is_last:
            matches = [_last(session_dir, names, int(name[len(LAST) + 1 :] or 0), warn)]
        else:
            matches = [name] if name in names else [i for i in names if i.startswith(name)]
        if not matches:
            latest = ", ".join(names[-3:])
            raise NoSessionError(f"no session {excerpt(name)!r}; the latest are {latest}")
        if len(matches) > 1:
            shown = ", ".join(matches[-5:])
            raise NoSessionError(
                f"{len(matches)} sessions begin with {name!r}: {shown}; say more of it"
            )
        return cls(runs / matches[0])

    def info(self) -> SessionInfo:
        """Return the content of `session.json`.

        Raises:
            SessionError: it can't be read, is from a newer lve, or is damaged.
        """
        return read_session_file(self.path / INFO_FILE)

    def update(self, **fields: Unpack[SessionInfo]) -> None:
        """Change fields of `session.json`.

        Raises:
            SessionError: it can't be read or written.
        """
        file = self.path / INFO_FILE
        if "tests" in fields:
            self.write({**self.info(), **fields})
            return
        info = info_in(file, without_tests(session_lines(file)))
        self.write({**info, **fields}, tests=lines_of_tests(session_lines(file)))

    def begin_again(self, options: JsonObject) -> None:
        """Record that the session is resumed, with the options for the rest of it."""
        resumed = [*self.info().get("resumed", []), _stamp(_utc_now())]
        self.update(status="running", ended=None, resumed=resumed, options=options)

    def end(self, status: Status, /, **fields: Unpack[SessionInfo]) -> None:
        """Record how the session ended; `fields` are further ones for `session.json`.

        Raises:
            SessionError: the file can't be written.
        """
        ended = _stamp(_utc_now())
        info: SessionInfo = {"summary": None, **fields, "status": status, "ended": ended}
        self.update(**info)

    def open_journal(self) -> Journal:
        """Open `results.jsonl` for appending.

        Raises:
            SessionError: it can't be written, or another process is writing it.
        """
        return Journal(self.results_file)

    def results(self, *, warn: Callable[[str], None] | None = None) -> Iterator[InstanceResult]:
        """Yield the results so far, one per instance and repeat."""
        with self.opened_journals() as journals:
            for _, _, result in results_in(journals, warn=warn):
                yield result

    def opened_journals(self) -> AbstractContextManager[list[OpenedJournal]]:
        """Open its journals, to read results that stay there whatever is merged meanwhile."""
        return opened_journals([self.results_file, *sorted(self.path.glob(PART_JOURNALS))])

    def write(self, info: SessionInfo, *, tests: Iterable[bytes] | None = None) -> None:
        """Replace `session.json` atomically: readers see the old content or the new one.

        Args:
            info: its content.
            tests: the lines about tests, if `info` lacks them.
        """
        options = public_options(plain(info.get("options", {})))
        replace_result_file(self.path / INFO_FILE, info_text({**info, "options": options}, tests))


def _as_id(name: str, runs: Path) -> str:
    """Return the id of the session whose path a name is; a name of another kind as it is."""
    is_there = os.path.exists(name)  # noqa: PTH110 (False for a name that is too long)
    place = Path(name).resolve() if is_there else Path()
    return place.name if place.parent == runs.resolve() else name


def _last(
    session_dir: Path, names: list[str], back: int, warn: Callable[[str], None] | None
) -> str:
    """Return the id of the `back`-th session before the latest one that isn't empty: one without
    results that isn't a shard. If all are empty, return the latest that can be read, or else the
    latest."""
    readable, left = [], back
    for name in reversed(names):
        session = SessionFolder(session_dir / RUNS_FOLDER / name)
        try:
            info = session.info()
        except SessionError as error:
            if warn is not None:
                warn(f"passed over: {error.message_with_code}")
            continue
        is_whole = info["status"] == "complete" and "shard" not in info["options"]
        is_empty = is_whole and not session.has_results
        if is_empty:
            readable.append(name)
        elif left == 0:
            return name
        left -= not is_empty
    if back:
        raise NoSessionError(
            f"there is no session {LAST}~{back} with results: `lve session list` lists them"
        )
    return [*readable, names[-1]][0]


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
