"""The last lines that a program has written to its stderr, for messages about its end."""

from __future__ import annotations

from lve.escape import one_line, tail
from lve.secrets.redaction import own_redactor

KEPT_BYTES = 16_384
SHOWN_LINES = 4
SHOWN_CHARACTERS = 600
"""Most characters of all lines together."""


class LastLines:
    """Keeps the end of what a program writes."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_cut = False

    def feed(self, block: bytes) -> None:
        """Add what the program has written."""
        self._held += block
        if len(self._held) > 2 * KEPT_BYTES:
            self._is_cut = True
            del self._held[:-KEPT_BYTES]

    def shown(self) -> str:
        """Return the last lines, escaped and without secrets, joined with bars; empty if there is
        none."""
        lines = own_redactor()(self._held.decode("utf-8", "replace")).splitlines()
        if self._is_cut:
            del lines[0]  # a part of a line, maybe of a secret
        lines = [line for line in map(one_line, lines) if line]
        return tail(" | ".join(lines[-SHOWN_LINES:]), SHOWN_CHARACTERS)
