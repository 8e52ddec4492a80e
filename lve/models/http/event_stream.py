"""Reads event streams: the format of "Server-sent events" in the WHATWG's HTML standard.

Streams of models and of applications under test are read here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable

from lve.named_tuples import NamedTuple

MESSAGE = "message"
"""The type of an event that names none."""
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event of a stream."""

    event: str
    """Its type."""
    data: bytes
    """Its data: the values of its `data` lines, joined with line feeds."""


class EventStream:
    """Reads the events of one stream as they arrive.

    In one thing it takes more than the standard: the last event counts without its blank line,
    because servers forget it. `id` and `retry` are read over, because no request is resumed.
    """

    __slots__ = ("_after_cr", "_data", "_event", "_is_first", "_rest")

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._event = b""
        self._is_first = True
        self._after_cr = False

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that the next bytes of the stream complete.

        Args:
            data: a piece of any size, cut anywhere.
        """
        if self._after_cr and data:  # the second half of a CRLF
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if b"\n" not in data and b"\r" not in data:
            self._rest += data  # linear time even if a line comes in a million pieces
            return []
        lines = (bytes(self._rest) + data).splitlines()  # of bytes: at CR, LF and CRLF alone
        self._after_cr = data.endswith(b"\r")
        self._rest.clear()
        if not data.endswith((b"\r", b"\n")):
            self._rest += lines.pop()
        return self._events(lines)

    def end(self) -> list[Event]:
        """Return the last event, if the stream ends without a blank line."""
        lines = [bytes(self._rest), b""]
        self._rest.clear()
        return self._events(lines)

    def _events(self, lines: Iterable[bytes]) -> list[Event]:
        """Return the events that complete lines complete."""
        events: list[Event] = []
        for line in lines:
            if self._is_first:
                self._is_first = False
                line = line.removeprefix(_BOM)
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line:
                if self._data:
                    event = self._event.decode("utf-8", "replace") or MESSAGE
                    events.append(Event(event, b"\n".join(self._data)))
                    self._data = []
                self._event = b""
            elif line == b"data":
                self._data.append(b"")
            elif line.startswith(b"event:") or line == b"event":
                self._event = line[6:].removeprefix(b" ")
        return events
