"""Prints answers while they arrive, without secrets and escape sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from lve.escape import visible
from lve.redaction import Redactor


class StreamPrinter:
    """Prints the streamed answers to one instance.

    The stream is untrusted, and the server knows its API key. So text that may be the beginning of
    a secret is held back until more has arrived.
    """

    def __init__(self, redactor: Callable[[], Redactor]) -> None:
        """Args:
        redactor: returns a redactor of all secrets that are known now.
        """
        self._redactor = redactor
        self._redact = Redactor()
        self._waiting = ""
        """Text that has arrived and isn't printed yet."""
        self._printed: list[str] = []
        """The printed text of each answer."""

    def begin(self) -> None:
        """Start with another instance."""
        self._printed = []

    def listen(self) -> Callable[[str], None]:
        """Start with another answer, or another attempt at one; return a function that takes its
        pieces as they arrive."""
        self.end()
        self._redact = self._redactor()
        self._printed.append("")
        return self._add

    def end(self) -> None:
        """Print the text that was held back."""
        if self._printed and self._printed[-1] + self._waiting:
            self._show(self._redact(self._waiting))
            click.echo()
        self._waiting = ""

    def has_printed(self, texts: Sequence[str]) -> bool:
        """Whether the last printed answers are these texts."""
        printed = [text.strip() for text in self._printed[-len(texts) :]]
        return bool(texts) and printed == [text.strip() for text in texts]

    def _add(self, piece: str) -> None:
        self._waiting += piece
        ready = redactable_length(self._waiting, self._redact.spelled)
        if ready > 0:
            self._show(self._redact(self._waiting[:ready]))
            self._waiting = self._waiting[ready:]

    def _show(self, text: str) -> None:
        self._printed[-1] += text
        click.echo(visible(text), nl=False)


def redactable_length(text: str, spellings: Sequence[str]) -> int:
    """Return how many characters of an unfinished text can be redacted and printed now; a secret
    may start in the rest.

    Args:
        text: the text so far.
        spellings: all spellings of the secrets.
    """
    end = min((_beginning(text, spelling) for spelling in spellings), default=len(text))
    moved = True
    while moved:  # don't split a secret
        moved = False
        for spelling in spellings:
            start = text.find(spelling, max(0, end - len(spelling) + 1))
            if 0 <= start < end < start + len(spelling):
                end, moved = start, True
    return end


def _beginning(text: str, spelling: str) -> int:
    """Return the position from which `text` is the beginning of `spelling`, or the length of
    `text` if there is none."""
    start = max(0, len(text) - len(spelling) + 1)
    while (start := text.find(spelling[0], start)) >= 0:
        if spelling.startswith(text[start:]):
            return start
        start += 1
    return len(text)
