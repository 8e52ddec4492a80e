"""The writers of report files, by suffix: those of the core and its extensions, and the reporters
of plugins.

A plugin's reporter called `sarif` writes `out.sarif`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import BinaryIO

from lve.errors import MissingExtraError, UsageError
from lve.extension_table import extension_part
from lve.named_tuples import NamedTuple
from lve.plugins import find_plugin
from lve.reporting.files.json_file import write_json
from lve.reporting.files.markdown import write_markdown
from lve.reporting.files.session_report import report_to
from lve.reporting.plugin_reporter import plugin_reporter
from lve.verdicts.recorded_session import RecordedSession

Write = Callable[[Sequence[RecordedSession], BinaryIO], None]
"""Writes a report of one or several sessions to a file."""


class Writer(NamedTuple):
    """Writes the files of a suffix."""

    write: Write
    what: str
    """The kind of report, in words."""
    needs: str = ""
    """The package that must be installed."""
    extra: str = ""
    """The extra of lve that installs the package."""


def _part(name: str) -> Write:
    """Return a function that lets an extension's part write a file."""

    def write(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
        extension_part(name)(sessions, file)

    return write


WRITERS: Mapping[str, Writer] = {
    ".csv": Writer(_part("csv report"), "a table for spreadsheets, a line per result"),
    ".eval": Writer(_part("eval report"), "a log for Inspect's viewer, a sample per result"),
    ".html": Writer(
        _part("html report"), "a page with everything in it, for people; it needs no network"
    ),
    ".json": Writer(write_json, "everything, with the transcripts"),
    ".jsonl": Writer(_part("jsonl report"), "a JSON line for each result, as of `--jsonl`"),
    ".md": Writer(write_markdown, "a summary, short enough for a comment"),
    ".parquet": Writer(
        _part("parquet report"), "the same table, with types", "pyarrow", "datasets"
    ),
    ".xlsx": Writer(_part("xlsx report"), "the same table, for Excel", "openpyxl", "xlsx"),
    ".xml": Writer(_part("junit report"), "JUnit's format, which CI systems read"),
}
"""Suffix -> its writer."""


def writer_of(suffix: str) -> Write:
    """Return the function that writes files of a suffix: one of `WRITERS`, or the reporter of a
    plugin with that name.

    Raises:
        UsageError: no report has the suffix.
        MissingExtraError: a package is missing.
        PluginError: the reporter is a plugin's and can't be used.
    """
    writer = WRITERS.get(suffix)
    if writer is None:
        of_plugin = _plugin_writer(suffix.removeprefix(".")) if suffix else None
        if of_plugin is None:
            raise UsageError(
                f"no report has the suffix '{suffix}': there are {', '.join(WRITERS)}",
                code="output_file",
            )
        return of_plugin
    if writer.needs and find_spec(writer.needs) is None:
        raise MissingExtraError(
            f"a {suffix} report needs {writer.needs}: pip install 'lve[{writer.extra}]'"
        )
    return writer.write


def _plugin_writer(name: str) -> Write | None:
    """Return a function that lets a plugin's reporter write a file; None if there is no such
    plugin.

    Raises:
        PluginError: the plugin can't be used.
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
        report_to(reporter, session)
        stream.flush()
        stream.detach()

    return write
