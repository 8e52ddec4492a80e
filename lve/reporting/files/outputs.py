"""The files that reports are written to: checked before a run, and replaced as a whole. And the
writers by suffix: those of the core and its extensions, and the reporters of plugins. A plugin's
reporter called `sarif` writes `out.sarif`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from stat import S_ISDIR
from typing import BinaryIO

from lve.errors import MissingExtraError, UsageError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.files.atomic_file import draft_of, replacing, unwritable
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


class Output(NamedTuple):
    """One file to write."""

    name: str
    """Its name as the user gave it."""
    path: Path
    """Its absolute path, with symbolic links resolved."""
    write: Write


class Written(NamedTuple):
    """One file that was written."""

    name: str
    size: int
    """In bytes."""


def plan_outputs(names: Iterable[str]) -> tuple[Output, ...]:
    """Return the files to write, after checking that they can be written. Makes missing folders.

    Raises:
        UsageError: a suffix is unknown, a file is named twice, or a file can't be written.
        MissingExtraError: a package is missing.
        PluginError: the writer is a plugin's and can't be used.
    """
    outputs: dict[Path, Output] = {}
    for name in names:
        path = _path_of(name)
        if path in outputs:
            raise UsageError(
                f"{name} is named twice: one report would replace the other", code="output_file"
            )
        write = writer_of(path.suffix.lower())
        try:
            if _is_folder(path):
                raise UsageError(f"{name} is a folder: name a file in it", code="output_file")
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(path, b""):
                pass
        except OSError as error:
            raise unwritable(name, error) from error
        outputs[path] = Output(name, path, write)
    return tuple(outputs.values())


def _is_folder(path: Path) -> bool:
    """Whether there is a folder. From Python 3.14 on, `Path.is_dir` conceals all errors.

    Raises:
        OSError: the system refuses the path.
    """
    try:
        return S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        return False


def write_outputs(outputs: Iterable[Output], sessions: Sequence[RecordedSession]) -> list[Written]:
    """Write all files. Each is replaced as a whole, or stays unchanged if writing it fails.

    Raises:
        UsageError: a file can't be written; those before it have been written.
        SessionError: a session can't be read any more.
    """
    return [_write(output, sessions) for output in outputs]


def _path_of(name: str) -> Path:
    try:
        return Path(os.path.realpath(name))
    except ValueError as error:
        raise UsageError(
            f"{excerpt(repr(name))} is no path: {error}", code="output_file"
        ) from error


def _write(output: Output, sessions: Sequence[RecordedSession]) -> Written:
    try:
        with replacing(output.path) as file:
            output.write(sessions, file)
            return Written(output.name, file.seek(0, os.SEEK_END))
    except OSError as error:
        raise unwritable(output.name, error) from error
