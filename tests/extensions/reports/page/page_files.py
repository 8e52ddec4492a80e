"""Pages of reports, as files."""

from __future__ import annotations

import base64
import gzip
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lve.extensions.reports.page.html_file import write_page
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def write_pages(file: Path, *folders: SessionFolder) -> Path:
    """Write the page of some sessions to a file, and return it."""
    with ExitStack() as stack:
        sessions = [stack.enter_context(RecordedSession.of(folder)) for folder in folders]
        with file.open("wb") as stream:
            write_page(sessions, stream)
    return file


CHUNK = re.compile(r'<script type="text/plain" data-chunk="(\w+)">([A-Za-z0-9+/=]*)</script>')
SUMMARY = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.DOTALL)


def page_parts(file: Path) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """Return the summary of a page, its chunks of columns, and those of whole results."""
    text = file.read_text(encoding="utf-8")
    [summary] = SUMMARY.findall(text)
    found: dict[str, list[Any]] = {"index": [], "details": [], "comparison": []}
    for kind, packed in CHUNK.findall(text):
        found[kind].append(json.loads(gzip.decompress(base64.b64decode(packed))))
    return json.loads(summary), found["index"], found["details"]
