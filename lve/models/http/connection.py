"""A client's HTTP/1.1 keep-alive connection: an asyncio protocol with the llhttp parser."""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from functools import partial
from typing import cast

import httptools

from lve.errors import ModelError
from lve.models.http.body import MAX_BODY_BYTES, BodyDecoder, too_large
from lve.models.http.failures import connection_failed, malformed, other_protocol, timed_out
from lve.models.http.request_timer import RequestTimer
from lve.models.http.transport import BufferLimit, HttpResponse

OnData = Callable[[bytes], None]
MAX_HEAD_BYTES = 64 * 1024
"""Maximum size of headers, trailers and 1xx responses, not counting the overhead of chunks."""
CHUNK_OVERHEAD = 16
"""Maximum overhead in bytes per byte of a chunked body: the shortest chunk has 5, and chunks may
have extensions."""
BLOCK_BYTES = 16 * 1024
"""Bytes read at once, which take at most some milliseconds to parse. After each block, the loop
serves other connections, deadlines and Ctrl-C."""


class Connection(asyncio.BufferedProtocol):
    """Sends one request at a time: `send` must not be called before the previous one is done.

    Every failure closes the connection; `usable` tells whether it is still open.
    """

    def __init__(
        self, where: str, loop: asyncio.AbstractEventLoop, buffer_limit: BufferLimit
    ) -> None:
        """Args:
        where: the server's address, for error messages.
        loop: the running loop.
        buffer_limit: shared by all connections of the transport.
        """
        self._where = where
        self._loop = loop
        self._buffer_limit = buffer_limit
        self._transport: asyncio.Transport | None = None
        self._block = memoryview(bytearray(BLOCK_BYTES))
        self._parser = httptools.HttpResponseParser(self)
        self._future: asyncio.Future[HttpResponse] | None = None
        self._timer = RequestTimer(loop, self._time_out)
        self._on_data: OnData | None = None
        self._received = 0
        self._carried = 0
        self._decoder: BodyDecoder | None = None
        self._readable: Callable[[], object] | None = None
        self._is_counted = False
        self._start_answer()
        self.idle_since = 0.0
        """When the connection became idle, by the loop's clock."""
        self.answer_begun = False
        """Whether anything has arrived since the last `send`."""

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def send(
        self, request: bytes, timeout_s: float, on_data: OnData | None, *, spent_s: float = 0.0
    ) -> asyncio.Future[HttpResponse]:
        """Write a request; return a future for its response, or a TransientModelError.

        Args:
            request: the bytes of the whole request.
            timeout_s: time limit of the attempt in seconds.
            on_data: called with the body of a successful response as it arrives.
            spent_s: seconds of the attempt that have passed already.
        """
        assert self._transport is not None
        self._future = future = self._loop.create_future()
        self._on_data = on_data
        self._timer.start(timeout_s, spent_s)
        self._received = self._carried = 0
        self._start_answer()
        self.answer_begun = False
        self._transport.write(request)
        return future

    def is_quiet(self) -> bool:
        """Return whether nothing waits to be read: neither data, which can't be the response to a
        later request, nor the end of the stream, after a hang-up."""
        assert self._transport is not None
        if self._readable is None:
            self._readable = _readability(self._transport.get_extra_info("socket").fileno())
        return not self._readable()

    def close(self) -> None:
        """Close the connection at once."""
        self._future = None
        self._drop_body()
        self._timer.stop()
        if self._transport is not None:
            self._transport.abort()

    def pause(self) -> None:
        """Stop reading for now."""
        if self.usable:
            cast(asyncio.Transport, self._transport).pause_reading()

    def resume(self) -> None:
        """Continue reading."""
        if self.usable:
            cast(asyncio.Transport, self._transport).resume_reading()

    # called by asyncio -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's isn't a subclass

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes."""
        return self._block

    def buffer_updated(self, nbytes: int) -> None:
        """Feed the parser. Data without a request in flight closes the connection."""
        if self._future is None:
            self.close()
            return
        if self._timer.is_over():
            self._time_out()
            return
        self.answer_begun = True
        try:
            self._parser.feed_data(self._block[:nbytes])
        except httptools.HttpParserCallbackError as error:
            cause = error.__context__ or error
            self._fail(cause if isinstance(cause, ModelError) else malformed(str(cause)))
        except httptools.HttpParserUpgrade:
            self._fail(other_protocol())
        except httptools.HttpParserError as error:
            self._fail(malformed(f"not HTTP: {error}"))
        else:
            self._check_size(nbytes)

    def eof_received(self) -> None:
        """Finish a body without a declared length, which ends with the connection."""
        if not (self._headers_done and self._ends_with_connection):
            return
        try:
            self._finish(keep=False)
        except ModelError as error:
            self._fail(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request in flight."""
        self._transport = None
        when = "during its answer" if self.answer_begun else "without an answer"
        self._fail(connection_failed(self._where, exc or f"the server hung up {when}"))

    # called by the parser --------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Refuse a response without a request: the next request would get it."""
        if self._future is None:
            raise malformed("an answer to no request")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Trailers after the body are ignored."""
        if not self._headers_done:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Choose how to read the body."""
        headers = self._headers
        self._status = self._parser.get_status_code()
        self._headers_done = True
        self._ends_with_connection = (
            b"content-length" not in headers and b"transfer-encoding" not in headers
        )
        encoding = headers.get(b"content-encoding", b"").decode("latin-1")
        self._decoder = BodyDecoder(self._status, encoding)

    def on_body(self, data: bytes) -> None:
        """Decode a piece of the body; store it or pass it to `on_data`."""
        self._carried += len(data)
        assert self._decoder is not None
        for piece in self._decoder.feed(data):
            if self._on_data is not None and 200 <= self._status < 300:
                self._on_data(piece)
            else:
                self._body += piece
        if self._decoder.is_full:
            self._finish(keep=False)

    def on_message_complete(self) -> None:
        """Finish the response, unless it is a 1xx response, which another one follows."""
        if self._status < 200:
            self._start_answer()
            return
        self._finish(keep=self._parser.should_keep_alive())

    # -----------------------------------------------------------------------------------------

    def _check_size(self, arrived: int) -> None:
        """Fail if the response is too large: its headers, chunks or body."""
        self._received += arrived
        if self._future is None:
            return
        if self._received - self._carried > MAX_HEAD_BYTES + self._carried * CHUNK_OVERHEAD:
            self._fail(malformed(f"more than {MAX_HEAD_BYTES} bytes of headers"))
        elif self._received > 2 * MAX_BODY_BYTES:
            self._fail(too_large(MAX_BODY_BYTES))
        elif self._body:
            self._is_counted = True
            self._buffer_limit.hold(self, len(self._body))

    def _start_answer(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._headers_done = False
        self._ends_with_connection = False
        self._status = 0
        self._decoder = None
        self._body = bytearray()

    def _finish(self, *, keep: bool) -> None:
        """Set the future's result to the response, unless it is done."""
        if self._decoder is not None:
            self._decoder.end()
        future = self._take_future()
        if not keep and self._transport is not None:
            self._transport.abort()
        if future is None:
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in self._headers.items()}
        future.set_result(HttpResponse(self._status, headers, bytes(self._body)))
        self._drop_body()

    def _fail(self, error: Exception) -> None:
        future = self._take_future()
        if future is not None:
            future.set_exception(error)
        self.close()

    def _drop_body(self) -> None:
        self._body = bytearray()
        if self._is_counted:
            self._is_counted = False
            self._buffer_limit.release(self)

    def _time_out(self) -> None:
        if self._future is not None:
            self._fail(timed_out(self._timer.limit_s))

    def _take_future(self) -> asyncio.Future[HttpResponse] | None:
        """Clear the request in flight; return its future unless it is done or cancelled."""
        future, self._future = self._future, None
        return None if future is None or future.done() else future


def _readability(descriptor: int) -> Callable[[], object]:
    """Return a function that tells whether a socket has data to read. It is called before every
    request, so it must be fast."""
    if not hasattr(select, "poll"):  # Windows, whose `select` takes any descriptor
        return lambda: select.select([descriptor], (), (), 0)[0]
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return partial(poll.poll, 0)
