"""Each file of a report, whole, of sessions with results of every kind."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from extensions.reports.page.page_files import CHUNK, SUMMARY
from extensions.reports.wide_sessions import wide_session
from support.recorded_calls import Calls, changed, record

from lve import __version__
from lve.extensions.reports import csv_file, inspect_log, junit, notebook
from lve.extensions.reports.page import html_file
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession

Written = Callable[[list[RecordedSession]], Iterator[str]]


def lines_of(write: Callable[[Any, Any], None]) -> Written:
    def written(sessions: list[RecordedSession]) -> Iterator[str]:
        file = io.BytesIO()
        write(sessions, file)
        yield from file.getvalue().decode().split("\n")

    return written


def log_entries(sessions: list[RecordedSession]) -> Iterator[str]:
    """Yield each document of a log."""
    file = io.BytesIO()
    inspect_log.write_inspect_log(sessions, file)
    with ZipFile(file) as log:
        for name in log.namelist():
            document = json.loads(log.read(name))
            if isinstance(document, dict):
                document.pop("uuid", None)
            parts = document if isinstance(document, list) else [document]
            yield from (f"{name} {json.dumps(part)}" for part in parts)


def notebook_parts(sessions: list[RecordedSession]) -> Iterator[str]:
    for session, name in zip(sessions, (None, "the <name>"), strict=False):
        yield from notebook.html_of(session.summary, name).replace("<tr>", "\n<tr>").split("\n")
        record = notebook._record
        yield from (str(record(result)) for result in session.results())


def page_entries(sessions: list[RecordedSession]) -> Iterator[str]:
    """Yield each entry of a page's summary, and each column, result and comparison."""
    file = io.BytesIO()
    html_file.write_page(sessions, file)
    text = file.getvalue().decode()
    [summary] = SUMMARY.findall(text)
    yield from entries("summary", json.loads(summary))
    for kind, packed in CHUNK.findall(text):
        yield from entries(kind, json.loads(gzip.decompress(base64.b64decode(packed))))


def entries(name: str, value: dict[str, Any]) -> Iterator[str]:
    for key, part in value.items():
        parts = part if isinstance(part, list) and key not in ("texts",) else [part]
        for number, each in enumerate(parts if any(isinstance(e, dict) for e in parts) else [part]):
            yield f"{name}.{key}[{number}] {json.dumps(each)}"


KINDS: dict[str, Written] = {
    "junit": lines_of(junit.write_junit),
    "csv": lines_of(csv_file.write_csv),
    "inspect": log_entries,
    "notebook": notebook_parts,
    "page": page_entries,
}


def reported(kinds: Iterable[str], folders: list[SessionFolder], title: str) -> Calls:
    """Return each line of some reports of sessions."""
    calls = {}
    with ExitStack() as stack:
        sessions = [stack.enter_context(RecordedSession.of(folder)) for folder in folders]
        for kind in kinds:
            for number, line in enumerate(KINDS[kind](sessions)):
                calls[f"{kind} of {title}, {number}"] = timeless(line, folders)
    return calls


def timeless(line: str, folders: list[SessionFolder]) -> str:
    """Return a line without what is another at each run: names of sessions, the version."""
    for number, folder in enumerate(folders):
        line = line.replace(folder.id, f"SESSION{number}")
    return re.sub(r"\b[0-9a-f]{40,}\b", "SUM", line).replace(f'"{__version__}"', '"VERSION"')


def all_calls() -> Calls:
    with tempfile.TemporaryDirectory() as folder:
        first = wide_session(Path(folder))
        second = wide_session(Path(folder), shift=1, status="interrupted")
        alone = wide_session(Path(folder), ("n",), shift=2, status="running")
        return {
            **reported(("junit", "notebook", "page"), [first], "one"),
            **reported(("csv", "inspect", "page"), [first, second], "two"),
            **reported(("junit", "inspect", "page"), [alone], "a model"),
        }


def test_each_line_is_what_is_recorded() -> None:
    assert changed("reports", all_calls()) == {}


if __name__ == "__main__":
    record("reports", all_calls())
