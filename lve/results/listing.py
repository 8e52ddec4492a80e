"""What is known of each session without reading its results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lve.errors import SessionError
from lve.results.journal import is_being_written
from lve.results.session import SessionFolder
from lve.results.session_file import RUNS_FOLDER

if TYPE_CHECKING:
    from lve.store.sessions import StoredSession

KILLED = "killed"
"""Status of a session that says it is running, though no process runs it."""
VERDICTS = ("passed", "failed", "error", "inconclusive", "skipped", "invalid")
IDLE_S = 120.0
"""A session of another machine that says that it is running, and of which nothing has come for so
long, doesn't run."""
MOST = 10**12
"""Largest count, cost or number of tokens that is believed: a forged one may have a thousand
digits."""


class ListedSession(NamedTuple):
    """One session, as its `session.json` describes it."""

    id: str
    status: str
    """As in the schema of sessions, or `killed`, or `unreadable`."""
    started: str = ""
    """ISO 8601, UTC."""
    models: tuple[str, ...] = ()
    verdicts: Mapping[str, int] = {}
    """Verdict -> tests, and those that were skipped or invalid. Empty before the end."""
    tests: int = 0
    instances: int = 0
    """Results, repeats counted. 0 before the end."""
    cost: float | None = None
    """US dollars of all its runs; None if a model has no price."""
    problem: str | None = None
    """Why it can't be read."""
    machine: str | None = None
    """Which ran it, if its files are in the team's store alone."""


def listed_session(session_dir: Path, name: str) -> ListedSession:
    """Return what is known of a session. One that can't be read says why.

    Args:
        session_dir: `workspace.session_dir`.
        name: its id.
    """
    folder = SessionFolder(session_dir / RUNS_FOLDER / name)
    try:
        return _listed(folder, folder.info())
    except SessionError as error:
        return ListedSession(name, "unreadable", problem=str(error))


def listed_elsewhere(url: str, limit: int, session_dir: Path) -> list[ListedSession]:
    """Return what is known of the latest sessions of other machines, the latest first; arguments
    and errors as of `stored_sessions`."""
    from lve.results.fetching import stored_sessions  # few have a store

    return [_stored(one, info) for one, info in stored_sessions(url, limit, session_dir)]


def _stored(one: StoredSession, info: Mapping[str, Any] | None) -> ListedSession:
    machine = str(one.machine)
    if info is None or info.get("session") != one.id:
        problem = "it is damaged in the store"
        return ListedSession(one.id, "unreadable", problem=problem, machine=machine)
    status: str = info["status"]
    if status == "running" and one.idle_s > IDLE_S:
        status = KILLED
    return _known(one.id, status, info)._replace(machine=machine)


def _listed(folder: SessionFolder, info: Mapping[str, Any]) -> ListedSession:
    return _known(folder.id, listed_status(folder, info), info)


def _known(name: str, status: str, info: Mapping[str, Any]) -> ListedSession:
    summary = _object(info.get("summary"))
    verdicts = _object(summary.get("tests"))
    known = {name: _count(verdicts.get(name)) for name in VERDICTS}
    spent = _object(info.get("spent")).get("cost", summary.get("cost"))
    return ListedSession(
        id=name,
        status=status,
        started=info["started"],
        models=tuple(info.get("models") or ()),
        verdicts={name: count for name, count in known.items() if count},
        tests=len(info.get("tests") or ()),
        instances=_count(_object(summary.get("instances")).get("total")),
        cost=spent if summary.get("cost") is not None and _is_amount(spent) else None,
    )


def listed_status(folder: SessionFolder, info: Mapping[str, Any]) -> str:
    """Return the status of a session: `killed` where it says `running` and no process runs it.

    Args:
        folder: of the session.
        info: the content of its `session.json`.
    """
    status: str = info["status"]
    return KILLED if status == "running" and not _is_running(folder) else status


def _is_running(folder: SessionFolder) -> bool:
    return any(is_being_written(file) for file in folder.journals())


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and _is_amount(value) else 0


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
