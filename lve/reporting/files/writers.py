"""Which writer makes a file of which suffix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import BinaryIO

from lve.errors import MissingExtraError, UsageError
from lve.reporting.files.writer import Write, Writer
from lve.verdicts.recorded import RecordedSession


def _csv(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.files.csv_ import write_csv  # a run needs few of them, if any

    write_csv(sessions, file)


def _html(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.page.write import write_page

    write_page(sessions, file)


def _json(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.files.json_ import write_json

    write_json(sessions, file)


def _junit(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.files.junit import write_junit

    write_junit(sessions, file)


def _parquet(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.files.parquet import write_parquet

    write_parquet(sessions, file)


def _markdown(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    from lve.reporting.files.markdown import write_markdown

    write_markdown(sessions, file)


WRITERS: Mapping[str, Writer] = {
    ".csv": Writer(_csv, "a table for spreadsheets, a row per instance and repeat"),
    ".html": Writer(_html, "a page with everything in it, for people; it needs no network"),
    ".json": Writer(_json, "everything, with the transcripts"),
    ".md": Writer(_markdown, "a summary, short enough for a comment"),
    ".parquet": Writer(_parquet, "the same table, with types", "pyarrow", "datasets"),
    ".xml": Writer(_junit, "JUnit's format, which CI systems read"),
}
"""Suffix -> its writer."""


def writer_of(suffix: str) -> Write:
    """Return what writes files of a suffix: one of `WRITERS`, or the reporter of a plugin that is
    called like the suffix.

    Raises:
        UsageError: there is none.
        MissingExtraError: a package is missing.
        PluginError: it is a plugin's, and can't be used.
    """
    writer = WRITERS.get(suffix)
    if writer is None:
        from lve.reporting.files.of_plugin import plugin_writer

        found = plugin_writer(suffix.removeprefix(".")) if suffix else None
        if found is None:
            raise UsageError(
                f"no report has the suffix '{suffix}': there are {', '.join(WRITERS)}",
                code="output_file",
            )
        return found
    if writer.needs and find_spec(writer.needs) is None:
        raise MissingExtraError(
            f"a {suffix} report needs {writer.needs}: pip install 'lve[{writer.extra}]'"
        )
    return writer.write
