"""What a stream can show: colours, width, characters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TextIO

Colour = Literal["red", "green", "yellow", "cyan", "dim", "bold"]
PLAIN_COLUMNS = 80

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
        return cls(stream, columns or PLAIN_COLUMNS, has_colour)

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

    def write(self, text: str = "") -> None:
        """Write a line. What the encoding lacks is spelled out."""
        if not text.isascii() and not self.can_show(text):
            text = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        self.stream.write(text + "\n")

    def flush(self) -> None:
        """Hand everything to the reader."""
        self.stream.flush()
