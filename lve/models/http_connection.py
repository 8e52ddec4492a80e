"""One keep-alive HTTP/1.1 connection, as a client: an asyncio protocol over the llhttp parser."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from typing import Any, cast

import httptools

from lve.errors import ModelError
from lve.models.failures import malformed, not_connected, timed_out
from lve.models.transport import LARGEST_BODY, Response

OnData = Callable[[bytes], None]
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32


class Connection(asyncio.Protocol):
    """Sends one request after the other. `send` must not be called before the last one is done.

    Every failure closes the connection, so `usable` tells whether it may serve again.
    """

    def __init__(self, where: str, loop: asyncio.AbstractEventLoop) -> None:
        self._where = where
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._future: asyncio.Future[Response] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timeout_s = 0.0
        self._on_data: OnData | None = None
        self._inflater: Any = None  # zlib has no public name for the type
        self._start_answer()
        self.idle_since = 0.0
        """Time of the loop's clock."""
        self.answer_begun = False
        """Whether anything has arrived since the last `send`."""

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def send(
        self, request: bytes, timeout_s: float, on_data: OnData | None
    ) -> asyncio.Future[Response]:
        """Write a whole request; the future gets the answer, or the TransientModelError."""
        assert self._transport is not None
        self._future = future = self._loop.create_future()
        self._on_data = on_data
        self._timeout_s = timeout_s
        self._timer = self._loop.call_later(timeout_s, self._time_out)
        self._start_answer()
        self.answer_begun = False
        self._transport.write(request)
        return future

    def close(self) -> None:
        """Hang up at once."""
        if self._timer is not None:
            self._timer.cancel()
        self._future = None
        if self._transport is not None:
            self._transport.abort()

    # asyncio calls these ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass

    def data_received(self, data: bytes) -> None:
        """Feed the parser; bytes that nobody asked for end the connection."""
        if self._future is None:
            self.close()
            return
        self.answer_begun = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            cause = error.__context__ or error
            self._fail(cause if isinstance(cause, ModelError) else malformed(str(cause)))
        except httptools.HttpParserError as error:
            self._fail(malformed(f"not HTTP: {error}"))

    def eof_received(self) -> None:
        """The server said its last word: without a length that is how a body ends."""
        if self._headers_done and self._ends_with_connection:
            self._finish(keep=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail what was under way."""
        if self._transport is not None:
            self._transport.close()  # or TLS transports of Python 3.10 warn that nobody did
        self._transport = None
        when = "during its answer" if self.answer_begun else "without an answer"
        self._fail(not_connected(self._where, exc or f"the server hung up {when}"))

    # the parser calls these ------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Refuse an answer to nothing: the next request would get it."""
        if self._future is None:
            raise malformed("an answer to no request")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep one header."""
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Decide how the body is to be read."""
        headers = self._headers
        self._status = self._parser.get_status_code()
        self._headers_done = True
        self._ends_with_connection = (
            b"content-length" not in headers and b"transfer-encoding" not in headers
        )
        encoding = headers.get(b"content-encoding", b"identity").lower()
        if encoding in (b"gzip", b"x-gzip", b"deflate"):
            self._inflater = zlib.decompressobj(_ZLIB_OR_GZIP)
        elif encoding != b"identity":
            raise malformed(f"content-encoding {encoding.decode('latin-1')!r} was not asked for")

    def on_body(self, data: bytes) -> None:
        """Take a piece of the body."""
        if self._inflater is not None:
            try:
                data = self._inflater.decompress(data, LARGEST_BODY - self._size + 1)
            except zlib.error as error:
                raise malformed(f"broken compression: {error}") from None
        self._size += len(data)
        if self._size > LARGEST_BODY:
            raise malformed(f"more than {LARGEST_BODY} bytes")
        if self._on_data is not None and 200 <= self._status < 300:
            self._on_data(data)
        else:
            self._parts.append(data)

    def on_message_complete(self) -> None:
        """Hand the answer over; 1xx answers announce another one."""
        if self._status < 200:
            self._start_answer()
            return
        self._finish(keep=self._parser.should_keep_alive())

    # -----------------------------------------------------------------------------------------

    def _start_answer(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._headers_done = False
        self._ends_with_connection = False
        self._status = 0
        self._inflater = None
        self._parts: list[bytes] = []
        self._size = 0

    def _finish(self, *, keep: bool) -> None:
        future = self._take_future()
        if not keep and self._transport is not None:
            self._transport.close()
        if future is None:
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in self._headers.items()}
        future.set_result(Response(self._status, headers, b"".join(self._parts)))

    def _fail(self, error: Exception) -> None:
        future = self._take_future()
        if future is not None:
            future.set_exception(error)
        self.close()

    def _time_out(self) -> None:
        self._fail(timed_out(self._timeout_s))

    def _take_future(self) -> asyncio.Future[Response] | None:
        """End the request under way. A cancelled caller is not told."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        future, self._future = self._future, None
        return None if future is None or future.done() else future
