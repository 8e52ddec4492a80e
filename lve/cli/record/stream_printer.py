"""Shows an answer on the terminal while it arrives, without secrets and escape sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from lve.escape import visible
from lve.redaction import Redactor


class StreamPrinter:
    """Listens to the answers to one instance. What arrives may be hostile, and a server knows its
    key: what may be the beginning of a secret is held back."""

    def __init__(self, redactor: Callable[[], Redactor]) -> None:
        """Args:
        redactor: returns what takes out the secrets that are known now.
        """
        self._redactor = redactor
        self._redact = Redactor()
        self._waiting = ""
        self._said: list[str] = []

    def begin(self) -> None:
        """Forget what was heard of another instance."""
        self._said = []

    def listen(self) -> Callable[[str], None]:
        """Begin with another answer, or with another attempt at it."""
        self.end()
        self._redact = self._redactor()
        self._said.append("")
        return self._hear

    def end(self) -> None:
        """Show the rest."""
        if self._said and self._said[-1] + self._waiting:
            self._show(self._redact(self._waiting))
            click.echo()
        self._waiting = ""

    def has(self, texts: Sequence[str]) -> bool:
        """Whether just these texts have been shown, the last ones."""
        said = [text.strip() for text in self._said[-len(texts) :]]
        return bool(texts) and said == [text.strip() for text in texts]

    def _hear(self, piece: str) -> None:
        self._waiting += piece
        ready = redactable_length(self._waiting, self._redact.spelled)
        if ready > 0:
            self._show(self._redact(self._waiting[:ready]))
            self._waiting = self._waiting[ready:]

    def _show(self, text: str) -> None:
        self._said[-1] += text
        click.echo(visible(text), nl=False)


def redactable_length(text: str, spellings: Sequence[str]) -> int:
    """Return how many characters of a text that goes on can be redacted and shown by themselves:
    the rest begins a secret, or may do so.

    Args:
        text: so far.
        spellings: of the secrets.
    """
    end = min((_beginning(text, spelling) for spelling in spellings), default=len(text))
    moved = True
    while moved:  # no secret may be cut in two
        moved = False
        for spelling in spellings:
            start = text.find(spelling, max(0, end - len(spelling) + 1))
            if 0 <= start < end < start + len(spelling):
                end, moved = start, True
    return end


def _beginning(text: str, spelling: str) -> int:
    """Return where the end of a text is the beginning of a spelling; its length if nowhere."""
    start = max(0, len(text) - len(spelling) + 1)
    while (start := text.find(spelling[0], start)) >= 0:
        if spelling.startswith(text[start:]):
            return start
        start += 1
    return len(text)
