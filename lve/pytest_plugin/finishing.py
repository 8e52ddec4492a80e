"""Ends the session of lve at the end of pytest's, and writes the reports.

An error that many items share (a wrong key, no server) is shown only once in pytest's summary; with
`-v` each item shows it. Counts, reports of other plugins and the exit status don't change.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from lve.exit_code import ExitCode as LveExitCode
from lve.file_names import DOCUMENT_NAMES
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


class DuplicateErrors:
    """Removes duplicate errors from pytest's summary."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None]:
        """Let pytest write its summary with each error only once."""
        stats = terminalreporter.stats
        every = stats.get("error", [])
        stats["error"] = first_of_each(every)
        try:
            return (yield)
        finally:
            stats["error"] = every


def is_wanted(terminalreporter: Any) -> bool:
    """Whether several items have errors and the user didn't ask for all with `-v`."""
    verbosity = int(terminalreporter.config.get_verbosity())
    return verbosity < 1 and len(terminalreporter.stats.get("error", [])) > 1


def first_of_each(reports: Iterable[Any]) -> list[Any]:
    """Return the reports without those of lve's items that repeat an earlier error. The first
    report of an error gets a section with the number of the others."""
    first_reports: list[Any] = []
    reports_of_cause: dict[str, list[Any]] = {}
    for report in reports:
        cause = _cause(report)
        if cause is None or cause not in reports_of_cause:
            first_reports.append(report)
        if cause is not None:
            reports_of_cause.setdefault(cause, []).append(report)
    for first, *repeats in reports_of_cause.values():
        if repeats:
            are = "item ended" if len(repeats) == 1 else "items ended"
            first.sections.append(
                ("the same error", f"{len(repeats):,} more {are} in it (-v shows all)")
            )
    return first_reports


def _cause(report: Any) -> str | None:
    """Return what identifies an item's error; None if it isn't an item of lve's or has no
    message."""
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    file = report.nodeid.partition("::")[0]
    if crash is None or report.when != "setup" or not file.endswith(DOCUMENT_NAMES):
        return None
    return getattr(report, "lve_cause", None) or str(crash.message)
