"""What a stream can show: colours, width, characters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TextIO

from lve.escape import clip, columns, disarm, one_line

Colour = Literal["red", "green", "yellow", "cyan", "dim", "bold"]
PLAIN_COLUMNS = 80
MIN_COLUMNS = 20
MAX_LINES = 8
"""Of a reason on a screen."""

_CODES: dict[Colour, str] = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "dim": "2",
    "bold": "1",
}


@dataclass(frozen=True, slots=True)
class Terminal:
    """A text stream and what it can show."""

    stream: TextIO
    columns: int = PLAIN_COLUMNS
    has_colour: bool = False
    is_terminal: bool = False
    """Only what people look at on a screen is wrapped or cut; files and pipes get it whole."""

    def redact(self, text: str) -> str:
        """Return a text that is about to be cut without what the stream keeps to itself: it can't
        tell pieces."""
        redact: Callable[[str], str] | None = getattr(self.stream, "redact", None)
        return text if redact is None else redact(text)

    @classmethod
    def of(cls, stream: TextIO, env: Mapping[str, str] | None = None) -> Terminal:
        """Return what `stream` can show. A pipe gets 80 columns and no colour; `NO_COLOR` and
        `TERM=dumb` take the colour away, `FORCE_COLOR` brings it."""
        env = os.environ if env is None else env
        is_terminal = stream.isatty()
        columns = 0
        if is_terminal:
            from shutil import get_terminal_size  # brings the compression formats

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
        """Return `text` in a colour, where there are colours."""
        return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if self.has_colour else text

    def fold(self, text: str, indent: int) -> list[str]:
        """Return `text` escaped, in lines that fit a screen with `indent` columns before them; as
        one line where there is no screen."""
        if not self.is_terminal:
            return [one_line(text)]
        from textwrap import wrap  # costs start-up time

        width = max(self.columns - indent, MIN_COLUMNS)
        # Only the beginning can be visible: a 10 MB answer must not be escaped for a few lines.
        shown = one_line(self.redact(text)[: 4 * width * MAX_LINES])
        # `wrap` counts characters, of which some are two columns wide.
        length = width if columns(shown) == len(shown) else width // 2
        return [clip(line, width) for line in wrap(shown, length, max_lines=MAX_LINES)]

    def write(self, text: str = "") -> None:
        """Write a line, that no CI runner obeys. What the encoding lacks is spelled out."""
        text = disarm(text)
        if not text.isascii() and not self.can_show(text):
            text = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        self.stream.write(text + "\n")

    def flush(self) -> None:
        """Hand everything to the reader."""
        self.stream.flush()
