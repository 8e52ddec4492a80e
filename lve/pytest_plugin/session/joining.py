"""The controller of pytest-xdist's workers: joins the parts of the session when they have ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lve.errors import LveError
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.gate import Gate
from lve.pipeline.merging import merge_parts
from lve.pytest_plugin.options import options_of
from lve.pytest_plugin.session.gating import gated_end
from lve.pytest_plugin.session.session_end import (
    SessionEnd,
    on_interrupt,
    print_waiting,
    warning_lines,
)
from lve.pytest_plugin.session.workers import REPORTS, SESSION_ID, has_parts
from lve.sessions.session_file import RUNS_FOLDER
from lve.sessions.session_folder import SessionFolder
from lve.sessions.storage import storage_of
from lve.verdicts.replayed import replay_remarks
from lve.workspace import Workspace, display_path


@contextmanager
def ending(session: pytest.Session) -> Iterator[None]:
    """Controller, after an interrupt: wait for the workers, which get the terminal's Ctrl-C, too.
    Another Ctrl-C must not end the controller, because it has to merge their parts."""
    is_interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    if not is_interrupted or folder_of(session.config) is None:
        yield
        return
    with on_interrupt(lambda: None):
        print_waiting(session)
        yield


def folder_of(config: pytest.Config) -> Path | None:
    """Return the session's folder if a worker has made it. It is searched here because
    a worker that pytest-xdist kills can't report it."""
    session_dir = options_of(config).run.state
    if session_dir is None:
        try:
            session_dir = _workspace_of(config).session_dir
        except LveError:  # the workers have reported it
            return None
    folder = session_dir / RUNS_FOLDER / config.stash[SESSION_ID]
    return folder if folder.is_dir() else None


def _workspace_of(config: pytest.Config) -> Workspace:
    """Return the workspace of the tests.

    Raises:
        LveError: its settings can't be used.
    """
    places = [argument.partition("::")[0] for argument in config.args]
    return choose_workspace(places, cwd=config.invocation_params.dir)


def joined(session: pytest.Session) -> Iterator[SessionEnd]:
    """Merge the parts of the session, if there may be any, and yield how it ended."""
    if has_parts(session):
        yield _merge(session)


def _merge(session: pytest.Session) -> SessionEnd:
    reports = session.config.stash.get(REPORTS, [])
    is_interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    place = Path(os.fsdecode(reports[0]["folder"])) if reports else None
    if place is None and is_interrupted:
        place = folder_of(session.config)
    if place is None:
        return SessionEnd([])

    folder = SessionFolder(place)
    warnings = sorted({warning for report in reports for warning in report["warnings"]})
    remarks: list[str] = []
    failures = [failure for report in reports for failure in report["failures"]]
    try:
        # A worker doesn't know the items that xdist hasn't given to it yet.
        summary = merge_parts(folder, is_interrupted=is_interrupted)
        remarks = [f"lve: {remark.text}" for remark in replay_remarks(summary)]
        storage = storage_of(_workspace_of(session.config).settings.cache)
        storage.upload(folder.path, warn=warnings.append)
    except LveError as error:
        failures.append(error.message_with_code)
    lines = [
        *warning_lines([*failures, *warnings]),
        *remarks,
        f"lve: session {display_path(folder.path)}",
    ]
    gated = _gated(session.config, folder)
    has_failed = bool(failures) or gated.has_failed
    return SessionEnd([*lines, *gated.lines], has_failed=has_failed, folder=place)


def _gated(config: pytest.Config, folder: SessionFolder) -> SessionEnd:
    """Compare the whole session with the baseline, if one is given."""
    run_options = options_of(config).run
    if run_options.baseline is None:
        return SessionEnd([])

    try:
        gate = Gate.of(run_options, _workspace_of(config).settings)
    except LveError as error:  # the workers have reported it
        return SessionEnd([f"lve: not compared: {error.message_with_code}"], has_failed=True)
    return (
        SessionEnd([])
        if gate is None
        else gated_end(gate, folder, allows_inconclusive=run_options.allow_inconclusive)
    )
