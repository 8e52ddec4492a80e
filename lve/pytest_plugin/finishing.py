"""Ends the session of lve at the end of pytest's, and writes the reports."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from lve.exit_code import ExitCode as LveExitCode
from lve.pytest_plugin.duplicate_errors import DuplicateErrors, is_wanted
from lve.pytest_plugin.options import options_of
from lve.pytest_plugin.session import sharding
from lve.pytest_plugin.session.session_end import (
    CLOSE,
    HAS_WORKERS,
    TERMINATED,
    SessionEnd,
    end_by_sigterm,
)


def finish(session: pytest.Session) -> Generator[None, None, list[SessionEnd]]:
    """End the session, after the other plugins have ended theirs: they do while this yields.

    Returns:
        How the parts of it ended, in this process and in workers, and the reports.
    """
    config = session.config
    if config.stash.get(HAS_WORKERS, False):
        from lve.pytest_plugin.session import joining  # late: few sessions have workers

        with joining.ending(session):
            yield
        if config.stash.get(TERMINATED, False) and joining.folder_of(config) is None:
            end_by_sigterm()  # the workers have no tests of lve
        ends = [*_end_here(session), *joining.joined(session)]
    else:
        yield
        ends = _end_here(session)
    if options_of(config).output:
        from lve.pytest_plugin.output import write  # late: it loads the writers of reports

        ends.append(write(config, next((end.folder for end in ends if end.folder), None)))
    if config.stash.get(TERMINATED, False):
        session.exitstatus = LveExitCode.interrupted
    return ends


def _end_here(session: pytest.Session) -> list[SessionEnd]:
    """End the session of this process, if it has one."""
    config = session.config
    if options_of(config).run.shard is not None:
        sharding.begin_missing_session(session)
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    close = config.stash.get(CLOSE, None)
    has_results = close is not None or config.stash.get(HAS_WORKERS, False)
    if terminal is not None and has_results and is_wanted(terminal):
        config.pluginmanager.register(DuplicateErrors())
    if close is None:
        return []
    end = close()
    if end.was_interrupted:
        session.exitstatus = pytest.ExitCode.INTERRUPTED
    return [end]
