"""Sessions on disk, made up or run, for tests of reports."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.verdicts.recorded_session import RecordedSession

INFO: dict[str, Any] = {"options": {}, "versions": {"lve": "0.1"}, "git": None, "models": ["m"]}


def session_folder(
    state: Path,
    results: Iterable[InstanceResult],
    tests: Iterable[SessionTest] | None = None,
    /,
    *,
    status: str = "complete",
    began: datetime | None = None,
    ended: datetime | None = None,
    **info: Any,
) -> SessionFolder:
    """Write a session and return its folder.

    Args:
        state: folder of sessions.
        results: of its instances.
        tests: what it knew of its tests; None: nothing but their names.
        status: how it ended; `running` if it didn't.
        began: when; None: now.
        ended: when; None: now.
        info: more of `session.json`.
    """
    results = list(results)
    now = began or datetime.now(UTC)
    folder = SessionFolder.create(state, {**INFO, **info}, now=lambda: now)
    if tests is None:
        tests = [SessionTest(*pair) for pair in dict.fromkeys((r.test, r.model) for r in results)]
    append_tests(folder.path, tests)
    journal = folder.open_journal()
    for result in results:
        journal.append(result)
    journal.close()
    if status != "running":
        folder.update(status=status, ended=(ended or now).isoformat(timespec="milliseconds"))
    return folder


def recorded(
    state: Path,
    results: Iterable[InstanceResult],
    tests: Iterable[SessionTest] | None = None,
    **more: Any,
) -> RecordedSession:
    """Write a session and return it as reports get it. Arguments as for `session_folder`."""
    return RecordedSession.of(session_folder(state, results, tests, **more))
