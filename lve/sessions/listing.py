"""Lists sessions with what their `session.json` says, without reading their results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard

from lve.errors import SessionError
from lve.json_types import JsonValue, as_object
from lve.named_tuples import NamedTuple
from lve.sessions.session_file import RUNS_FOLDER, is_being_written
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.storage import RemoteSession

KILLED = "killed"
"""Status of a session whose file says `running` although no process runs it."""
VERDICTS = ("passed", "failed", "error", "inconclusive", "skipped", "invalid")
IDLE_S = 120.0
"""A `running` session of another machine counts as killed if the store has got nothing of it for so
many seconds."""
MAX_AMOUNT = 10**12
"""Largest count or cost that is accepted, because a forged one may have a thousand digits."""


class ListedSession(NamedTuple):
    """One session, as its `session.json` describes it."""

    id: str
    status: str
    """As in the schema of sessions, or `killed` or `unreadable`."""
    started: str = ""
    """ISO 8601, UTC."""
    models: tuple[str, ...] = ()
    verdicts: Mapping[str, int] = {}
    """Verdict (or `skipped`, `invalid`) -> number of tests. Empty before the session's end."""
    tests: int = 0
    instances: int = 0
    """Number of results, with repeats. 0 before the session's end."""
    cost: float | None = None
    """US dollars of all its runs; None if a model has no price."""
    problem: str | None = None
    """Why it can't be read."""
    machine: str | None = None
    """The machine that ran it, if only the team's store has its files."""


def listed_session(session_dir: Path, name: str) -> ListedSession:
    """Describe a session; one that can't be read has a `problem`.

    Args:
        session_dir: `workspace.session_dir`.
        name: id of the session.
    """
    folder = SessionFolder(session_dir / RUNS_FOLDER / name)
    try:
        info = folder.info()
        return _described(folder.id, listed_status(folder, info), info)
    except SessionError as error:
        return ListedSession(name, "unreadable", problem=str(error))


def listed_elsewhere(session: RemoteSession) -> ListedSession:
    """Describe a session of another machine; one that can't be read has a `problem`."""
    name, machine, idle_s, info = session
    if info is None or info.get("session") != name:
        problem = "it is damaged in the store"
        return ListedSession(name, "unreadable", problem=problem, machine=machine)
    status: str = info["status"]
    if status == "running" and idle_s > IDLE_S:
        status = KILLED
    return _described(name, status, info)._replace(machine=machine)


def _described(name: str, status: str, info: SessionInfo) -> ListedSession:
    summary = as_object(info.get("summary"))
    verdicts = as_object(summary.get("tests"))
    counts = {name: _count(verdicts.get(name)) for name in VERDICTS}
    spent = as_object(info.get("spent")).get("cost", summary.get("cost"))
    return ListedSession(
        id=name,
        status=status,
        started=info["started"],
        models=tuple(info.get("models") or ()),
        verdicts={name: count for name, count in counts.items() if count},
        tests=len(info.get("tests") or ()),
        instances=_count(as_object(summary.get("instances")).get("total")),
        cost=spent if summary.get("cost") is not None and _is_amount(spent) else None,
    )


def listed_status(folder: SessionFolder, info: SessionInfo) -> str:
    """Return the status of a session: `killed` if its file says `running` but no process runs it.

    Args:
        folder: of the session.
        info: the content of its `session.json`.
    """
    status: str = info["status"]
    return KILLED if status == "running" and not _is_running(folder) else status


def _is_running(folder: SessionFolder) -> bool:
    return any(is_being_written(file) for file in folder.journals())


def _count(value: JsonValue) -> int:
    return value if _is_amount(value) and isinstance(value, int) else 0


def _is_amount(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MAX_AMOUNT
