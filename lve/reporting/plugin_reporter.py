"""Reporters from plugins. A reporter that fails doesn't stop the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from lve.errors import PluginError
from lve.plugins import CRASHES, Plugin, find_plugin
from lve.reporting.reporter import Detail, Reporter, SessionReport
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.tally import Tally

METHODS = ("on_result", "on_tally", "finish")


def plugin_reporter(name: str, stream: TextIO, detail: Detail) -> Reporter | None:
    """Return a plugin's reporter; None if there is no plugin of that name.

    Raises:
        PluginError: the plugin can't be used.
    """
    plugin = find_plugin("reporter", name)
    if plugin is None:
        return None
    make = plugin.load()
    with plugin.guarded("can't make a reporter"):
        reporter = make(stream, detail)
        missing = [method for method in METHODS if not callable(getattr(reporter, method, None))]
    if missing:
        raise plugin.problem(f"made something else than a reporter: no {', '.join(missing)}")
    return PluginReporter(plugin, reporter)


class PluginReporter:
    """Passes results on until the reporter fails. `finish` raises the failure."""

    def __init__(self, plugin: Plugin, reporter: Reporter) -> None:
        self._plugin = plugin
        self._reporter = reporter
        self._failure: PluginError | None = None

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Report an instance."""
        self._pass_on(lambda: self._reporter.on_result(result, expect))

    def on_tally(self, tally: Tally) -> None:
        """Report a test."""
        self._pass_on(lambda: self._reporter.on_tally(tally))

    def finish(self, report: SessionReport) -> None:
        """Report the end of the session.

        Raises:
            PluginError: the reporter failed, now or earlier. The session itself is complete.
        """
        self._pass_on(lambda: self._reporter.finish(report))
        if self._failure is not None:
            place = f"; {report.folder} has all results" if report.folder else ""
            raise PluginError(f"{self._failure}{place}")

    def _pass_on(self, do: Callable[[], None]) -> None:
        if self._failure is not None:
            return
        try:
            do()
        except BrokenPipeError:  # the reader of stdout is gone; the reporter is fine
            raise
        except CRASHES as error:  # it is foreign code
            self._failure = self._plugin.failure("failed while it reported", error)
