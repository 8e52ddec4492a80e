"""Any bytes as a server's answer, without sockets: for tests that try millions of them.

    answer_to_wire(b"HTTP/1.1 200 OK\\r\\n...")   # through our own transport's connection
    parse_everything(b'{"choices": ...}')       # as every kind of body that we ask for

Both end well or raise a `ModelError`; anything else is a bug. The transport of the `openai` package
has a parser of its own (h11) before the same `BodyDecoder`, `decode` and parse functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from lve.errors import ModelError
from lve.extensions.responses.api import ResponseAccumulator
from lve.extensions.responses.wire import parse_response
from lve.extensions.text_completions.api import parse_text
from lve.models.http.connections.connection import Connection
from lve.models.http.connections.transport import BufferLimit, HttpResponse
from lve.models.http.events import EventReader
from lve.models.http.failures import classify
from lve.models.openai.apis import ChatAccumulator
from lve.models.openai.embeddings import parse_embeddings
from lve.models.openai.wire import parse_chat


class _NoSocket(asyncio.Transport):
    """What a connection writes to."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Forget it."""

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        """Nobody reads."""

    resume_reading = pause_reading


def answer_to_wire(
    data: bytes, *, cuts: Iterable[int] = (), on_data: Callable[[bytes], None] | None = None
) -> HttpResponse:
    """Return what our connection makes of bytes, after which the server hangs up.

    Args:
        data: everything that the server sends.
        cuts: where the network cuts it, as offsets.
        on_data: takes the body, as a stream's reader does.

    Raises:
        ModelError: it is no answer.
    """
    loop = asyncio.new_event_loop()
    try:
        connection = Connection("http://server", loop, BufferLimit())
        connection.connection_made(_NoSocket())
        future = connection.send(b"", 60.0, on_data, begun_at=loop.time())
        places = sorted({0, *(cut for cut in cuts if 0 < cut < len(data)), len(data)})
        for start, end in pairwise(places):
            _receive(connection, data[start:end])
        connection.eof_received()
        connection.connection_lost(None)
        assert future.done(), "a caller would wait for ever"
        return loop.run_until_complete(future)
    finally:
        loop.close()


def _receive(connection: Connection, data: bytes) -> None:
    """Hand bytes to a connection as asyncio does: as many at a time as it has room for."""
    while data:
        room = connection.get_buffer(len(data))
        part, data = data[: len(room)], data[len(room) :]
        room[: len(part)] = part
        connection.buffer_updated(len(part))


def parse_everything(body: bytes, *, scored: str = "a prompt") -> list[Any]:
    """Read a body as every kind of answer; returns what was made of it, errors among it."""

    def streamed(reader: EventReader) -> Any:
        reader.feed(body)
        return reader.completion(latency_s=0.0)

    readings: list[Callable[[], Any]] = [
        lambda: parse_chat(body),
        lambda: parse_text(body),
        lambda: parse_text(body, scored=scored),
        lambda: parse_embeddings(body, 1),
        lambda: streamed(EventReader(ChatAccumulator, parse_chat)),
        lambda: parse_response(body),
        lambda: streamed(EventReader(ResponseAccumulator, parse_response)),
        lambda: classify(400, {"retry-after": "x"}, body),
    ]
    made: list[Any] = []
    for reading in readings:
        with suppress(ModelError):
            made.append(reading())
    return made
