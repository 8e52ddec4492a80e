"""Adapts text to an output stream: its colours, width and encoding, and the marks of verdicts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, TextIO

from lve.checkers.contract import Outcome
from lve.escape import clip, columns, disarm, head, one_line
from lve.named_tuples import NamedTuple

Colour = Literal["red", "green", "yellow", "cyan", "dim", "bold"]
PLAIN_COLUMNS = 80
MIN_COLUMNS = 20
MAX_LINES = 8
"""Lines of a reason that are shown on a terminal."""

_CODES: dict[Colour, str] = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "dim": "2",
    "bold": "1",
}


class Terminal(NamedTuple):
    """A text stream and its properties."""

    stream: TextIO
    columns: int = PLAIN_COLUMNS
    has_colour: bool = False
    is_terminal: bool = False
    """Whether it is a terminal. Only there text is wrapped and shortened, not in files and
    pipes."""

    @classmethod
    def of(cls, stream: TextIO, env: Mapping[str, str] | None = None) -> Terminal:
        """Return the terminal for a stream.

        A pipe has 80 columns and no colour. `NO_COLOR` and `TERM=dumb` turn colour off,
        `FORCE_COLOR` turns it on.
        """
        env = os.environ if env is None else env
        is_terminal = stream.isatty()
        columns = 0
        if is_terminal:
            from shutil import get_terminal_size  # late: `shutil` imports the compression formats

            columns = get_terminal_size((PLAIN_COLUMNS, 24)).columns
        has_colour = is_terminal and env.get("TERM") != "dumb"
        if env.get("FORCE_COLOR"):
            has_colour = True
        if env.get("NO_COLOR"):
            has_colour = False
        return cls(stream, columns or PLAIN_COLUMNS, has_colour, is_terminal)

    @property
    def encoding(self) -> str:
        """The stream's encoding."""
        return getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def has_symbols(self) -> bool:
        """Whether `✓`, `✗` and `…` can be shown."""
        return self.can_show("✓✗…·")

    def can_show(self, text: str) -> bool:
        """Whether the stream's encoding has these characters."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def paint(self, text: str, colour: Colour) -> str:
        """Return `text` in a colour, or unchanged if the terminal has no colours."""
        return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if self.has_colour else text

    def fold(self, text: str, indent: int) -> list[str]:
        """Return `text` escaped, as lines that fit after `indent` columns, all but the first moved
        to the right by two. Lines after `MAX_LINES` are dropped. If this isn't a terminal, return
        it whole, as one line."""
        if not self.is_terminal:
            return [one_line(text)]
        from textwrap import wrap  # costs start-up time

        width = max(self.columns - indent, MIN_COLUMNS)
        # Shorten first: escaping a 10 MB answer for a few lines would take too long.
        escaped = one_line(head(text, 4 * width * MAX_LINES))
        # `wrap` counts characters, but some characters are two columns wide.
        length = width if columns(escaped) == len(escaped) else width // 2
        lines = wrap(escaped, length, max_lines=MAX_LINES, subsequent_indent="  ")
        return [clip(line, width) for line in lines]

    def write(self, text: str = "") -> None:
        """Write a line. CI commands in it are made harmless, characters that the encoding lacks are
        escaped."""
        text = disarm(text)
        if not text.isascii() and not self.can_show(text):
            text = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        self.stream.write(text + "\n")

    def flush(self) -> None:
        """Flush the stream."""
        self.stream.flush()


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
