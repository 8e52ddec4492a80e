"""Standard output and error without the secrets of this process: whatever a verb writes, a line of
progress, a message or a traceback, goes through here."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from lve.redaction import Redactor


class RedactedStream:
    """A text stream that writes no secrets. Everything else is the stream's own; its binary stream
    isn't handed out, which would write what it likes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redactor: Redactor | None = None
        self._known = 0

    def redact(self, text: str) -> str:
        """Return a text without secrets: for those who cut it before they write it."""
        from lve.redaction import known_names, own_redactor

        if self._redactor is None or self._known != known_names():
            self._known, self._redactor = known_names(), own_redactor()
        return self._redactor(text)

    def write(self, text: str) -> int:
        """Write a text, at least a line of it at a time. What the encoding lacks is spelled out."""
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
    """From now on, let this process write no secrets to its standard streams."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, cast(TextIO, RedactedStream(getattr(sys, name))))


def redacted(text: str) -> str:
    """Return a text without secrets before it is cut into lines, if standard output has none."""
    redact = getattr(sys.stdout, "redact", None)
    return redact(text) if redact is not None else text
