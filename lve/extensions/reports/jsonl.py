"""`.jsonl`: the lines of `lve run --jsonl`, of sessions that ran."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import BinaryIO

from lve.reporting.files.session_report import report_to
from lve.reporting.json_reporters import JsonlReporter
from lve.verdicts.recorded_session import RecordedSession


def write_jsonl(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a line for each result and each test, and one for each session at its end."""
    stream = io.TextIOWrapper(file, "ascii", newline="\n")
    for session in sessions:
        report_to(JsonlReporter(stream), session)
    stream.detach()
