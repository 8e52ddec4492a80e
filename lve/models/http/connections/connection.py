"""A client's HTTP/1.1 keep-alive connection: an asyncio protocol, with the time limit of
its requests.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from functools import partial
from typing import cast

from lve.models.http.connections.response_reader import ResponseReader
from lve.models.http.connections.transport import BufferLimit, HttpResponse, OnData
from lve.models.http.failures import connection_failed, timed_out


class RequestTimer:
    """Calls back when the request in flight takes too long. One timer of the loop serves many
    requests, because nearly all end long before it rings: if it rings too early, it is set
    again."""

    __slots__ = ("_limit_at", "_loop", "_on_end", "_rings_at", "_timer", "ends_at", "limit_s")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Args:
        loop: the running loop.
        """
        self._loop = loop
        self._on_end: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = self._limit_at = 0.0
        self.ends_at = 0.0
        """When the latest request's time ends, by the loop's clock. The loop calls back only after
        all connections are read, which may be later."""
        self.limit_s = 0.0
        """The limit of the latest request in seconds."""

    def start(self, begun_at: float, limit_s: float, on_end: Callable[[], None]) -> None:
        """Begin the time of a request.

        Args:
            begun_at: when it began, by the loop's clock.
            limit_s: how long it may take, in seconds.
            on_end: called at the end of its time, also if it has been answered.
        """
        self.limit_s = limit_s
        self._on_end = on_end
        self._limit_at = begun_at + limit_s
        self._end_at(self._limit_at)

    def wait(self, seconds: float) -> None:
        """Let the time of a request end in some seconds, unless it ends before; may be called again
        with more."""
        self._end_at(min(self._limit_at, self._loop.time() + seconds))

    def stop(self) -> None:
        """Don't call back any more, and forget who would be called."""
        self._on_end = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_at(self, ends_at: float) -> None:
        self.ends_at = ends_at
        if self._timer is None or ends_at < self._rings_at:
            self._set()

    def _set(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = self.ends_at
        self._timer = self._loop.call_at(self.ends_at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.ends_at > self._rings_at:
            self._set()
        elif self._on_end is not None:
            self._on_end()


REST_S = 0.25
"""Seconds in which the rest of a body that isn't needed any more must arrive, with one read; else
the connection is closed. Such a rest is the end of a chunked body."""


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
        self._block = buffer_limit.block
        self._reader = ResponseReader()
        self._timer = RequestTimer(loop)
        self._future: asyncio.Future[HttpResponse] | None = None
        self._readable: Callable[[], object] | None = None
        self._is_counted = False
        self.idle_since = 0.0
        """When the connection became idle, by the loop's clock."""
        self.answer_begun = False
        """Whether anything has arrived since the last `send`."""

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def send(
        self, request: bytes, timeout_s: float, on_data: OnData | None, *, begun_at: float
    ) -> asyncio.Future[HttpResponse]:
        """Write a request; return a future for its response, or a TransientModelError.

        Args:
            request: the bytes of the whole request.
            timeout_s: time limit of the attempt in seconds.
            on_data: takes the body of a successful response.
            begun_at: when the attempt began, by the loop's clock.
        """
        assert self._transport is not None
        self._future = future = self._loop.create_future()
        self._timer.start(begun_at, timeout_s, self._time_out)
        self._reader.start(on_data)
        self.answer_begun = False
        self._transport.write(request)
        return future

    def is_quiet(self) -> bool:
        """Return whether the last response has ended and nothing waits to be read: neither data,
        which can't be the response to a later request, nor the end of the stream, after a
        hang-up."""
        if not self._reader.keeps_alive:
            return False
        assert self._transport is not None
        if self._readable is None:
            self._readable = _readability(self._transport.get_extra_info("socket").fileno())
        return not self._readable()

    def close(self) -> None:
        """Close the connection at once."""
        self._future = None
        self._release_buffer()
        self._timer.stop()
        self._reader.close()
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
        """Feed the parser. Data without a request in flight closes the connection, unless a body
        that isn't needed any more ends with it."""
        if self._future is None:
            if not self._reader.ends_with(self._block[:nbytes]):
                self.close()
            return
        if self._loop.time() >= self._timer.ends_at:
            self._time_out()
            return
        self.answer_begun = True
        reader = self._reader
        error = reader.feed(self._block[:nbytes])
        if reader.is_complete:
            self._finish(keep=error is None and (reader.keeps_alive or reader.wait_s == 0.0))
        elif error is not None:
            if reader.status is None:  # maybe another protocol, such as TLS
                error.args = (f"{self._where}: {error}",)
            self._fail(error)
        elif reader.wait_s is not None:
            self._timer.wait(reader.wait_s)
        elif buffered := reader.buffered:
            self._is_counted = True
            self._buffer_limit.hold(self, buffered)

    def eof_received(self) -> None:
        """Finish a body without a declared length, which ends with the connection."""
        if self._future is None:
            return
        error = self._reader.feed_eof()
        if error is not None:
            self._fail(error)
        elif self._reader.is_complete:
            self._finish(keep=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request in flight."""
        self._transport = None
        when = "during its answer" if self.answer_begun else "without an answer"
        cause = exc or f"the server hung up {when}"
        self._fail(connection_failed(self._where, cause, status=self._reader.status))

    # -----------------------------------------------------------------------------------------

    def _finish(self, *, keep: bool) -> None:
        """Set the future's result to the response, unless it is done."""
        future, response = self._take_future(), self._reader.response()
        if future is not None:
            future.set_result(response)
        if self._is_counted:
            self._release_buffer()
        if not keep:
            self.close()
        elif not self._reader.keeps_alive:
            self._timer.start(self._loop.time(), REST_S, self._time_out)

    def _fail(self, error: Exception) -> None:
        future = self._take_future()
        if future is not None:
            future.set_exception(error)
        self.close()

    def _release_buffer(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._buffer_limit.release(self)

    def _time_out(self) -> None:
        if self._future is None:
            if not self._reader.keeps_alive:
                self.close()
        elif self._reader.wait_s is not None:
            self._finish(keep=False)
        else:
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
