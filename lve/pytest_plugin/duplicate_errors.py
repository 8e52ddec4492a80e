"""Shows an error that many items share (a wrong key, no server) only once in pytest's summary.

With `-v` each item shows it. Counts, reports of other plugins and the exit status don't change.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from lve.file_names import DOCUMENT_NAMES


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
