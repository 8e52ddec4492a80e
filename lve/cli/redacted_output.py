"""Removes secrets from everything that lve writes to stdout and stderr, tracebacks included."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from lve.redaction import Redactor


class RedactedStream:
    """A text stream that redacts what is written. Other attributes are those of the stream, but its
    binary stream isn't accessible: it would write without redaction."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redactor: Redactor | None = None
        self._known = 0

    def redact(self, text: str) -> str:
        """Return a text without secrets, for callers that cut a text before writing it."""
        from lve.redaction import known_names, own_redactor

        if self._redactor is None or self._known != known_names():
            self._known, self._redactor = known_names(), own_redactor()
        return self._redactor(text)

    def write(self, text: str) -> int:
        """Write a text of at least one line; characters that the encoding lacks are escaped."""
        text = self.redact(text)
        try:
            return self._stream.write(text)
        except UnicodeEncodeError:
            encoding = self._stream.encoding
            return self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)


def redact_output() -> None:
    """Redact everything that this process writes to stdout and stderr from now on."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, cast(TextIO, RedactedStream(getattr(sys, name))))


def redacted(text: str) -> str:
    """Return a text without secrets, if stdout is redacted. Call it before wrapping a text."""
    redact = getattr(sys.stdout, "redact", None)
    return redact(text) if redact is not None else text
