"""Items that ended in the same error (a wrong key, no server) are one paragraph in the report.

With `-v` each has its own. Counts, reports of other plugins and exit status stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from typing import Any

import pytest

from lve.conventions import DOCUMENT_NAMES

_NOT_ASKED = re.compile(r"not asked, as .*? failed \d+ times in a row: ")
_ATTEMPTS = re.compile(r" \(after \d+ attempts[^)]*\)$")


class EqualErrors:
    """Leaves out of pytest's summary all but the first of equal errors."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None]:
        """Let pytest write its summary with each error once."""
        stats = terminalreporter.stats
        every = stats.get("error", [])
        stats["error"] = first_of_each(every)
        try:
            return (yield)
        finally:
            stats["error"] = every


def is_wanted(terminalreporter: Any) -> bool:
    """Whether there are items with errors, and the user doesn't want to read all."""
    verbosity = int(terminalreporter.config.get_verbosity())
    return verbosity < 1 and len(terminalreporter.stats.get("error", [])) > 1


def first_of_each(reports: Iterable[Any]) -> list[Any]:
    """Return the reports without lve's items whose error another one has said before. The first of
    several gets a section with their number."""
    shown: list[Any] = []
    equal: dict[str, list[Any]] = {}
    for report in reports:
        cause = _cause(report)
        if cause is None or cause not in equal:
            shown.append(report)
        if cause is not None:
            equal.setdefault(cause, []).append(report)
    for first, *others in equal.values():
        if others:
            are = "item ended" if len(others) == 1 else "items ended"
            first.sections.append(("the same error", f"{len(others):,} more {are} so (-v: all)"))
    return shown


def _cause(report: Any) -> str | None:
    """Return what an error of an item says; None for what isn't lve's, or says nothing."""
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    file = report.nodeid.partition("::")[0]
    if crash is None or report.when != "setup" or not file.endswith(DOCUMENT_NAMES):
        return None
    return _ATTEMPTS.sub("", _NOT_ASKED.sub("", crash.message))
