"""The folder of a session: `.lve/runs/<id>/` with `session.json` and `results.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lve.documents.json_lines import plain
from lve.errors import NoSessionError, SessionError
from lve.escape import excerpt
from lve.files.private import make_private_folder
from lve.redaction import Redactor
from lve.results.journal import Journal, read_journal
from lve.results.records import InstanceResult, ResultId
from lve.results.session_file import (
    INFO_FILE,
    RUNS_FOLDER,
    VERSION,
    make_runs_folder,
    make_unique_folder,
    no_place,
    public_options,
    read_session_file,
    replace_result_file,
    session_ids,
)

RESULTS_FILE = "results.jsonl"
PART_JOURNALS = "results-*.jsonl"
"""Those of processes that run a session together."""
LAST = "last"
_LAST = re.compile(r"last(~\d{1,6})?")
Status = Literal["running", "complete", "interrupted", "budget", "stopped", "failed"]


class SessionFolder(NamedTuple):
    """The files of one session."""

    path: Path
    redact: Redactor = Redactor()

    @property
    def id(self) -> str:
        """Sorts by time: `20261121-113510-042-k7f3`."""
        return self.path.name

    @property
    def results_file(self) -> Path:
        """The journal."""
        return self.path / RESULTS_FILE

    @property
    def has_results(self) -> bool:
        """Whether a journal has any lines."""
        return any(file.stat().st_size > 0 for file in self.journals())

    @property
    def has_parts(self) -> bool:
        """Whether several processes have run it and were killed, so that nobody has put their
        journals together."""
        return any(self.path.glob(PART_JOURNALS))

    def journals(self) -> list[Path]:
        """Return its journals: one, or one of each process that runs it."""
        return [
            file
            for file in (self.results_file, *sorted(self.path.glob(PART_JOURNALS)))
            if file.exists()
        ]

    @classmethod
    def create(
        cls,
        session_dir: Path,
        info: Mapping[str, Any],
        *,
        redact: Redactor | None = None,
        now: Callable[[], datetime] | None = None,
    ) -> SessionFolder:
        """Make the folder of a new session.

        Args:
            session_dir: `workspace.session_dir`.
            info: for `session.json`: `versions`, `git`, `options`, `models`, `tests`, ...
                (schemas/session.schema.json). Options that are called like a secret are left out.
            redact: takes known secrets out of everything that is written.
            now: the clock.

        Raises:
            SessionError: the folder can't be made.
        """
        started = (now or _utc_now)()
        runs = make_runs_folder(session_dir)
        try:
            path = make_unique_folder(runs, started)
        except OSError as error:
            raise no_place(runs, error) from error
        session = cls(path, redact or Redactor())
        session._begin(started, info)
        return session

    @classmethod
    def share(
        cls,
        session_dir: Path,
        name: str,
        info: Mapping[str, Any],
        *,
        redact: Redactor | None = None,
    ) -> tuple[SessionFolder, bool]:
        """Return the folder of a session that several processes run together, and whether it is
        new: the first process creates it.

        Args:
            session_dir: `workspace.session_dir`.
            name: the session's id, agreed before (`new_id`).
            info: as in `create`.
            redact: as in `create`.

        Raises:
            SessionError: the folder can't be made.
        """
        session = cls(make_runs_folder(session_dir) / name, redact or Redactor())
        try:
            make_private_folder(session.path, exist_ok=False)
        except FileExistsError:
            return session, False
        except OSError as error:
            raise no_place(session.path, error) from error
        session._begin(_utc_now(), info)
        return session, True

    @classmethod
    def find(
        cls,
        session_dir: Path,
        name: str = LAST,
        *,
        redact: Redactor | None = None,
        warn: Callable[[str], None] | None = None,
        only_here: bool = False,
    ) -> SessionFolder:
        """Return an earlier session. One that isn't here comes from the team's store, if there is
        one, as it is now.

        Args:
            session_dir: `workspace.session_dir`.
            name: `last`, `last~1` (the one before it), an id, or the beginning of exactly one id.
                The last session is the latest in which something was run or is left to run.
            redact: as in `create`.
            warn: called for each folder that is no session; `last` passes it over.
            only_here: whether it must be of this machine, to go on with it.

        Raises:
            NoSessionError: there is none, or several match.
            SessionError: the store can't be used, or the session is damaged there.
        """
        known = session_ids(session_dir)
        is_last = _LAST.fullmatch(name) is not None
        if not (is_last or only_here or any(one.startswith(name) for one in known)):
            from lve.results.fetching import fetched_session  # few are elsewhere

            if (place := fetched_session(session_dir, name)) is not None:
                return cls(place, redact or Redactor())
        if not known:
            raise NoSessionError(
                f"there is no session in {session_dir / RUNS_FOLDER} yet: `lve run` makes one"
            )
        if is_last:
            matches = [_last(session_dir, known, int(name[len(LAST) + 1 :] or 0), warn)]
        else:
            matches = [name] if name in known else [i for i in known if i.startswith(name)]
        if not matches:
            latest = ", ".join(known[-3:])
            raise NoSessionError(f"no session {excerpt(name)!r}; the latest are {latest}")
        if len(matches) > 1:
            shown = ", ".join(matches[-5:])
            raise NoSessionError(
                f"{len(matches)} sessions begin with {name!r}: {shown}; say more of it"
            )
        return cls(session_dir / RUNS_FOLDER / matches[0], redact or Redactor())

    def info(self) -> dict[str, Any]:
        """Return the content of `session.json`.

        Raises:
            SessionError: it can't be read, is of a newer lve, or somebody damaged it.
        """
        return read_session_file(self.path / INFO_FILE)

    def update(self, **fields: Any) -> None:
        """Change fields of `session.json`.

        Raises:
            SessionError: it can't be read or written.
        """
        self._write({**self.info(), **fields})

    def begin_again(self, options: Mapping[str, Any]) -> None:
        """Note that the session is resumed.

        Args:
            options: those that hold from now on.
        """
        resumed = [*self.info().get("resumed", []), _stamp(_utc_now())]
        self.update(status="running", ended=None, resumed=resumed, options=options)

    def end(
        self,
        status: Status,
        *,
        summary: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        """Note how the session ended.

        Raises:
            SessionError: it can't be written.
        """
        ended = _stamp(_utc_now())
        self.update(status=status, ended=ended, summary=summary, **fields)

    def open_journal(self) -> Journal:
        """Open `results.jsonl` for appending.

        Raises:
            SessionError: it can't be written, or another process is writing it.
        """
        return Journal(self.results_file, redact=self.redact)

    def results(self, *, warn: Callable[[str], None] | None = None) -> Iterator[InstanceResult]:
        """Yield the results so far, with transcripts; each instance and repeat once."""
        seen: set[ResultId] = set()
        journals = self.journals()
        for file in journals:
            for result in read_journal(file, warn=warn):
                if len(journals) == 1:
                    yield result
                elif result.id not in seen:  # a merge of the parts may have been killed, too
                    seen.add(result.id)
                    yield result

    def _begin(self, started: datetime, info: Mapping[str, Any]) -> None:
        self._write(
            {
                "version": VERSION,
                "session": self.id,
                "status": "running",
                "started": _stamp(started),
                "ended": None,
                "resumed": [],
                "paths": [],
                **info,
            }
        )

    def _write(self, info: Mapping[str, Any]) -> None:
        """Replace `session.json` at once: a reader sees the old one or the new one."""
        kept = {**info, "options": public_options(info.get("options", {}))}
        text = self.redact(json.dumps(plain(kept), indent=2)) + "\n"
        replace_result_file(self.path / INFO_FILE, text.encode("ascii"))


def _last(
    session_dir: Path, known: list[str], back: int, warn: Callable[[str], None] | None
) -> str:
    """Return the latest session with anything to continue, or one so many before it; where there
    is no latest one, the latest that can be read, otherwise the very last."""
    readable, left = [], back
    for name in reversed(known):
        session = SessionFolder(session_dir / RUNS_FOLDER / name)
        try:
            is_empty = session.info()["status"] == "complete" and not session.has_results
        except SessionError as error:
            if warn is not None:
                warn(f"passed over: {error.message_with_code}")
            continue
        if is_empty:
            readable.append(name)  # nothing was selected
        elif left == 0:
            return name
        left -= not is_empty
    if back:
        raise NoSessionError(f"there is no session {LAST}~{back}: `lve sessions` lists them")
    return [*readable, known[-1]][0]


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds")
