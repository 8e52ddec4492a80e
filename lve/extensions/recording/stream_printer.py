"""Prints answers while they arrive, without secrets and escape sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from lve.escape import keyless, visible
from lve.secrets.redaction import own_redactor


class StreamPrinter:
    """Prints the streamed answers to one instance.

    The stream is untrusted, and the server knows its API key. So text that may be the beginning of
    a secret is held back until more has arrived.
    """

    def __init__(self) -> None:
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
        self._printed.append("")
        return self._add

    def end(self) -> None:
        """Print the text that was held back."""
        if self._printed and self._printed[-1] + self._waiting:
            self._show(self._waiting)
            click.echo()
        self._waiting = ""

    def has_printed(self, texts: Sequence[str]) -> bool:
        """Whether the last printed answers are these texts."""
        printed = [text.strip() for text in self._printed[-len(texts) :]]
        return bool(texts) and printed == [text.strip() for text in texts]

    def _add(self, piece: str) -> None:
        self._waiting += piece
        ready = own_redactor().settled(self._waiting)
        if ready > 0:
            self._show(self._waiting[:ready])
            self._waiting = self._waiting[ready:]

    def _show(self, text: str) -> None:
        text = keyless(text)
        self._printed[-1] += text
        click.echo(visible(text), nl=False)
