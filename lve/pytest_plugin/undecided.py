"""Reports what is inconclusive: a failure, or with `--lve-allow-inconclusive` a warning. So is a
test of which there is nothing to run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from lve.escape import escape_line
from lve.pytest_plugin.options import options_of
from lve.pytest_plugin.verdicts import InconclusiveWarning, Undecided, failure
from lve.spec.spec import Spec


def report_undecided(item: pytest.Item, reason: str) -> None:
    """Report that an item is inconclusive.

    Raises:
        Undecided: unless `--lve-allow-inconclusive` is given.
    """
    if not options_of(item.config).run.allow_inconclusive:
        raise Undecided(f"inconclusive: {reason}")
    text = escape_line(f"{item.nodeid}: inconclusive: {reason}")
    # Line 0, because pytest prints the source of any other line of the document.
    warnings.warn_explicit(InconclusiveWarning(text), None, str(item.reportinfo()[0]), lineno=0)


class EmptyItem(pytest.Item):
    """Stands for a test that has no instances, or none among those that are selected: `lve run`
    calls it inconclusive, too. It is no `InstanceItem`, because no model is asked."""

    def __init__(
        self, *, spec: Spec, why: str, marks: Sequence[pytest.MarkDecorator], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.spec = spec
        self._reason = f"no row was run: {why}"
        for mark in marks:
            self.add_marker(mark)

    def runtest(self) -> None:
        """Report that nothing was judged."""
        report_undecided(self, self._reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the reason, without a traceback of the plugin."""
        if isinstance(excinfo.value, Undecided | InconclusiveWarning):
            return failure(self.spec, str(excinfo.value), f"{self.spec.file}: {self._reason}")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the test document and a headline."""
        return self.path, 0, escape_line(f"{self.spec.path} {self.name}")
