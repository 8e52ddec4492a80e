"""`--lve-output`: report files, checked before the first test and written at the end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lve.errors import LveError
from lve.pytest_plugin.foreign_ini import base_folder
from lve.pytest_plugin.options import options_of
from lve.pytest_plugin.session.session_end import SessionEnd
from lve.reporting.files.outputs import Output, plan_outputs, write_outputs
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession
from lve.workspace import display_path

_PLANNED: pytest.StashKey[tuple[Output, ...]] = pytest.StashKey()


def plan(config: pytest.Config) -> None:
    """Check the report files to write at the end, if there are any. Workers of pytest-xdist write
    none.

    Raises:
        pytest.UsageError: a file can't be written.
    """
    plugin_options = options_of(config)
    if not plugin_options.output or plugin_options.problems or hasattr(config, "workerinput"):
        return

    base = base_folder(config)
    try:
        config.stash[_PLANNED] = plan_outputs(
            os.fspath(base / name) for name in plugin_options.output
        )
    except LveError as error:
        raise pytest.UsageError(f"--lve-output: {error.message_with_code}") from error


def write(config: pytest.Config, place: Path | None) -> SessionEnd:
    """Write the report files.

    Args:
        config: pytest's configuration.
        place: lve's session folder; None if there is no session.
    """
    files = config.stash.get(_PLANNED, ())
    if not files:
        return SessionEnd([])
    if place is None:
        return SessionEnd(["lve: no report is written, because no test of a model ran"])

    warnings: list[str] = []
    try:
        folder = SessionFolder(place)
        with RecordedSession.of(folder, warn=warnings.append) as session:
            written = write_outputs(files, [session])
    except LveError as error:
        return SessionEnd([f"lve: {error.message_with_code}"], has_failed=True)
    lines = [f"lve: wrote {display_path(Path(output.name))}" for output in written]
    return SessionEnd([*(f"lve: warning: {text}" for text in warnings), *lines])
