"""Reports the results of a session as text, JSON or JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from lve.reporting.json_ import JsonlReporter, JsonReporter
from lve.reporting.reporter import Detail, Reporter, SessionReport
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter

__all__ = ["REPORTERS", "Detail", "Reporter", "SessionReport"]

REPORTERS: dict[str, Callable[[TextIO, Detail], Reporter]] = {
    "text": lambda stream, detail: TextReporter(Terminal.of(stream), detail=detail),
    "json": lambda stream, detail: JsonReporter(stream),
    "jsonl": lambda stream, detail: JsonlReporter(stream),
}
"""Name -> a function that makes the reporter for a stream and a level of detail."""
