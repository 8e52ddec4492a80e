"""Reporters of other packages, as writers of files: one called `sarif` writes `out.sarif`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import BinaryIO

from lve.errors import UsageError
from lve.plugins import find_plugin
from lve.reporting.files.session_report import session_report
from lve.reporting.files.writer import Write
from lve.reporting.of_plugin import plugin_reporter
from lve.verdicts.recorded import RecordedSession


def plugin_writer(name: str) -> Write | None:
    """Return what has a plugin's reporter write a file; None if there is no plugin of that name.

    Raises:
        PluginError: it can't be used.
    """
    plugin = find_plugin("reporter", name)
    if plugin is None:
        return None
    plugin.load()

    def write(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
        if len(sessions) > 1:
            raise UsageError(f"{plugin} reports one session: name one", code="several_sessions")
        [session] = sessions
        stream = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
        reporter = plugin_reporter(name, stream, "normal")
        assert reporter is not None
        for tally in session.tallies:
            for result in session.results((tally.test, tally.model)):
                reporter.on_result(result, tally.expect)
            reporter.on_tally(tally)
        reporter.finish(session_report(session))
        stream.flush()
        stream.detach()

    return write
