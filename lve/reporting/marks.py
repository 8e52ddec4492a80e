"""The marks of verdicts in text reports: symbols and colours."""

from __future__ import annotations

from lve.checkers.contract import Outcome
from lve.reporting.terminal import Colour, Terminal

COLOURS: dict[Outcome, Colour] = {
    "passed": "green",
    "failed": "red",
    "error": "yellow",
    "inconclusive": "cyan",
}
SYMBOLS: dict[Outcome, tuple[str, str]] = {
    "passed": ("✓", "ok  "),
    "failed": ("✗", "FAIL"),
    "error": ("!", "ERR "),
    "inconclusive": ("?", "??  "),
}
"""Verdict -> its symbol, and a word for encodings that lack the symbol."""


def mark_of(verdict: Outcome, terminal: Terminal, *, is_advisory: bool = False) -> str:
    """Return the symbol (or word) of a verdict in its colour, if the terminal has colours.

    Args:
        verdict: the verdict of a test or an instance.
        terminal: where it is shown.
        is_advisory: whether it can't fail the session; if so, its colour is neutral.
    """
    symbol, word = SYMBOLS[verdict]
    mark = symbol if terminal.has_symbols else word
    is_advice = is_advisory and verdict != "error"
    return terminal.paint(mark, "cyan" if is_advice else COLOURS[verdict])
