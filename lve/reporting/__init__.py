"""What came out, for people and for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from lve.reporting.json_ import JsonReporter
from lve.reporting.jsonl import JsonlReporter
from lve.reporting.reporter import Detail, Reporter, SessionReport
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter

__all__ = ["REPORTERS", "Detail", "Reporter", "SessionReport"]

REPORTERS: dict[str, Callable[[TextIO, Detail], Reporter]] = {
    "text": lambda stream, detail: TextReporter(Terminal.of(stream), detail=detail),
    "json": lambda stream, detail: JsonReporter(stream),
    "jsonl": lambda stream, detail: JsonlReporter(stream),
}
"""Name -> makes the reporter for a stream and how much detail people want."""
