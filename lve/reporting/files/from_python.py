"""`lve.report`: writes reports to files, from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from lve.errors import UsageError
from lve.pipeline.caller_warnings import warn_caller
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.result import RunResult
from lve.reporting.files.outputs import plan_outputs, write_outputs
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def report(
    sessions: RunResult | str | Sequence[RunResult | str],
    *files: str | Path,
    session_dir: str | Path | None = None,
) -> None:
    """Write reports of sessions to files, as `lve report` does.

    Args:
        sessions: one or several sessions: results of `lve.run`, `last`, `last~1`, or IDs.
        files: the files to write, such as `results.csv` and `report.html`; the suffix is the
            format.
        session_dir: folder of the sessions that are given by name; by default `.lve` in the
            workspace.

    Raises:
        UsageError: a file can't be written, or a run wasn't kept.
        SessionError: a session doesn't exist or can't be read.
    """
    results = [sessions] if isinstance(sessions, RunResult | str) else sessions
    if not (results and files):
        raise UsageError(
            "lve.report takes sessions, and the files to write", code="python_argument"
        )
    outputs = plan_outputs(os.fspath(file) for file in files)
    folders = [_folder(session, session_dir) for session in results]
    with ExitStack() as stack:
        opened = [
            stack.enter_context(RecordedSession.of(folder, warn=warn_caller)) for folder in folders
        ]
        write_outputs(outputs, opened)


def _folder(session: RunResult | str, session_dir: str | Path | None) -> SessionFolder:
    if isinstance(session, RunResult):
        if session.folder is None:
            raise UsageError(
                "the run wasn't kept (`keep=False`), so there is nothing to report",
                code="python_argument",
            )
        return session.folder
    place = Path(session_dir) if session_dir is not None else choose_workspace(()).session_dir
    return SessionFolder.find(place, session, warn=warn_caller)
