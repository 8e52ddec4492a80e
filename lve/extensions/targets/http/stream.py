"""Reads answers that are streamed: server-sent events, or a line of JSON for each event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lve.child.answers import BoundedLines, UnreadableAnswerError
from lve.errors import TransientModelError
from lve.extensions.targets.http.answers import AnswerReader, json_value, shown
from lve.extensions.targets.paths import ValuePath
from lve.extensions.targets.reply import Reply, text_from
from lve.models.http.answers import check_length
from lve.models.http.event_stream import Event, EventStream
from lve.models.http.events import OVER_S
from lve.models.http.failures import malformed

MAX_EVENT_BYTES = 1024 * 1024
"""Most bytes of one event, or of a line."""
MAX_EVENTS = 1_000_000
DONE = "[DONE]"


class StreamFormat:
    """How the settings say that an answer is streamed."""

    def __init__(self, options: Mapping[str, Any], where: str) -> None:
        """Args:
        options: the option `stream`.
        where: where it is in the settings, for messages.

        Raises:
            SettingsError: a path is malformed.
        """
        self.is_sse = options["format"] == "sse"
        self.text = ValuePath(options["text"], f"{where}.text") if "text" in options else None
        self.done = options.get("done", DONE)


class StreamReader:
    """Joins the events of one answer as they arrive.

    The text is that of all events together. Of contexts, usage and the like, the last event that
    has them counts, and of tool calls all do.
    """

    def __init__(
        self, form: StreamFormat, reader: AnswerReader, on_text: Callable[[str], None]
    ) -> None:
        """Args:
        form: how the answer is streamed.
        reader: finds what is beside the text.
        on_text: called with each piece of the text.
        """
        self._form = form
        self._reader = reader
        self._on_text = on_text
        self._stream = EventStream()
        self._lines = BoundedLines(MAX_EVENT_BYTES)
        self._texts: list[str] = []
        self._length = self._events = 0
        self._fields: dict[str, Any] = {}
        self._whole_text: str | None = None
        self._is_done = False
        self.last: object = None
        """The JSON value of the last event that had an `error`."""

    def feed(self, data: bytes) -> float | None:
        """Read the next bytes of the body; return 0 if nothing more shall be read, else None.

        Raises:
            ModelError: an event is too long, or isn't what the settings say.
        """
        if self._form.is_sse:
            self._take(self._stream.feed(data))
        else:
            try:
                for line in self._lines.feed(data):
                    if line.strip():
                        self._event(line.rstrip(b"\r\n"))
            except UnreadableAnswerError as error:
                raise malformed(str(error)) from None
        return OVER_S if self._is_done else None

    def reply(self) -> Reply:
        """Return the answer after the end of the body.

        Raises:
            ModelError: there was no event.
        """
        self.feed(b"\n")  # the last line may have no end
        self._take(self._stream.end())
        if not self._events:
            raise TransientModelError("the stream has no events", kind="empty")
        text = "".join(self._texts)
        if self._whole_text is not None and not text:
            text = self._whole_text
        return Reply(text, **self._fields)

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if len(event.data) > MAX_EVENT_BYTES:
                raise malformed("an event of the stream is too long")
            self._event(event.data)

    def _event(self, event: bytes) -> None:
        self._events += 1
        if self._events > MAX_EVENTS:
            raise malformed(f"a stream of more than {MAX_EVENTS:,} events")
        if self._is_done or event.strip() == self._form.done.encode():
            self._is_done = True
            return
        path = self._form.text
        needs_json = path is not None or self._reader.reads_json
        data = json_value(event) if needs_json else None
        if data is None and needs_json:
            raise malformed(f"an event of the stream is not JSON: {shown(event)!r}")
        if path is None:
            self._add(event.decode("utf-8", "replace"))
        else:
            for value in path.values_in(data):
                if value is not None:
                    self._add(text_from(value))
        if needs_json:
            self._add_fields(data)

    def _add(self, text: str) -> None:
        self._length += len(text)
        check_length(self._length)
        self._texts.append(text)
        self._on_text(text)

    def _add_fields(self, data: object) -> None:
        if isinstance(data, Mapping) and data.get("error"):
            self.last = data
        text, fields = self._reader.beside(data)
        if text is not None:
            self._whole_text = text
        calls = fields.pop("tool_calls", ())
        if calls:
            self._fields["tool_calls"] = (*self._fields.get("tool_calls", ()), *calls)
        self._fields |= fields
