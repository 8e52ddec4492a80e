"""Reports the results of a session as text, JSON or JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from lve.errors import UsageError
from lve.reporting.reporter import Detail, Reporter, SessionReport
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter
from lve.suggest import did_you_mean

__all__ = ["REPORTERS", "Detail", "Reporter", "SessionReport", "make_reporter"]


def _json(stream: TextIO, *, by_line: bool) -> Reporter:
    from lve.reporting import json_reporters  # few runs need it, and it costs start-up time

    return (json_reporters.JsonlReporter if by_line else json_reporters.JsonReporter)(stream)


REPORTERS: dict[str, Callable[[TextIO, Detail], Reporter]] = {
    "text": lambda stream, detail: TextReporter(Terminal.of(stream), detail=detail),
    "json": lambda stream, _: _json(stream, by_line=False),
    "jsonl": lambda stream, _: _json(stream, by_line=True),
}
"""Name -> a function that makes the reporter for a stream and a level of detail."""


def make_reporter(name: str, stream: TextIO, detail: Detail) -> Reporter:
    """Return a reporter: one of `REPORTERS`, or a plugin's.

    Raises:
        UsageError: there is none of that name.
        PluginError: it is a plugin's reporter and can't be used.
    """
    if name in REPORTERS:
        return REPORTERS[name](stream, detail)
    from lve.reporting.plugin_reporter import plugin_reporter

    reporter = plugin_reporter(name, stream, detail)
    if reporter is None:
        hint = did_you_mean(name, REPORTERS) or f"there are {', '.join(REPORTERS)}"
        raise UsageError(
            f"there is no reporter {name!r}: {hint}; `lve plugins` lists more", code="unknown_name"
        )
    return reporter
