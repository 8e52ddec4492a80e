"""Reports the results of a session as text, JSON or JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from lve.reporting.reporter import Detail, Reporter, SessionReport
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter

__all__ = ["REPORTERS", "Detail", "Reporter", "SessionReport"]


def _json(stream: TextIO, _: Detail) -> Reporter:
    from lve.reporting.json_ import JsonReporter  # few runs need it, and it costs start-up time

    return JsonReporter(stream)


def _jsonl(stream: TextIO, _: Detail) -> Reporter:
    from lve.reporting.json_ import JsonlReporter

    return JsonlReporter(stream)


REPORTERS: dict[str, Callable[[TextIO, Detail], Reporter]] = {
    "text": lambda stream, detail: TextReporter(Terminal.of(stream), detail=detail),
    "json": _json,
    "jsonl": _jsonl,
}
"""Name -> a function that makes the reporter for a stream and a level of detail."""
