"""Reads the responses of one connection, one after the other, with the llhttp parser."""

from __future__ import annotations

import httptools

from lve.errors import ModelError
from lve.models.http.connections.body import MAX_BODY_BYTES, BodyDecoder, too_large
from lve.models.http.connections.transport import Headers, HttpResponse, OnData
from lve.models.http.failures import malformed, other_protocol

MAX_HEAD_BYTES = 64 * 1024
"""Maximum size of headers, trailers and 1xx responses, not counting the overhead of chunks."""
CHUNK_OVERHEAD = 16
"""Maximum overhead in bytes per byte of a chunked body: the shortest chunk has 5, and chunks may
have extensions."""


class ResponseReader:
    """The response that arrives: its head, and its body as far as it has arrived."""

    def __init__(self) -> None:
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        self.start(None)
        self.is_complete = True  # nothing was asked for yet

    def start(self, on_data: OnData | None) -> None:
        """Begin to read the response to the next request.

        Args:
            on_data: takes the body of a successful response.
        """
        self.is_complete = False
        """Whether all of it has arrived, or as much as is read of it."""
        self.keeps_alive = False
        """Whether the connection can be used again after a complete response."""
        self.wait_s: float | None = None
        """How long to wait for more, if `on_data` has all that it needs."""
        self._on_data = on_data
        self._received = self._carried = 0
        self._start_head()

    def _start_head(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._decoder: BodyDecoder | None = None
        """Decodes the body; None as long as the head hasn't ended."""
        self._status = 0
        self._body = bytearray()

    @property
    def status(self) -> int | None:
        """HTTP status of the response that arrives; None before its head has ended."""
        return self._status or None

    @property
    def buffered(self) -> int:
        """Bytes of the body that are held in memory."""
        return len(self._body)

    def feed(self, data: memoryview) -> ModelError | None:
        """Read the next bytes. Return what is wrong with them; what follows a complete response is
        wrong, too."""
        assert self._parser is not None
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            cause = error.__context__ or error
            return cause if isinstance(cause, ModelError) else malformed(str(cause))
        except httptools.HttpParserUpgrade:
            return other_protocol()
        except httptools.HttpParserError as error:
            return malformed(f"not HTTP: {error}")
        self._received += len(data)
        return None if self.is_complete else self._excess()

    def ends_with(self, data: memoryview) -> bool:
        """Read the next bytes of a body that isn't needed any more; return whether it ends with
        them, and the connection can be used again."""
        is_rest = self.wait_s == 0.0 and not self.keeps_alive
        return is_rest and self.feed(data) is None and self.keeps_alive

    def feed_eof(self) -> ModelError | None:
        """Finish a body without a declared length, which ends with the connection. Return what is
        wrong with it."""
        if self.is_complete or self._decoder is None or not self._ends_with_connection():
            return None
        try:
            self._end()
        except ModelError as error:
            return error
        return None

    def response(self) -> HttpResponse:
        """Return the complete response, and forget its body."""
        body, self._body = self._body, bytearray()
        return HttpResponse(self._status, Headers(self._headers), bytes(body))

    def close(self) -> None:
        """Read nothing any more. The parser holds this object: unless it is forgotten, both stay
        until the garbage collector comes."""
        self._parser = self._on_data = self.wait_s = None
        self._start_head()

    # called by the parser --------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Refuse a response without a request: the next request would get it."""
        if self.is_complete:
            raise malformed("an answer to no request")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Trailers after the body are ignored."""
        if self._decoder is None:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Choose how to read the body."""
        assert self._parser is not None
        self._status = self._parser.get_status_code()
        encoding = self._headers.get(b"content-encoding")
        self._decoder = BodyDecoder(self._status, encoding.decode("latin-1") if encoding else None)

    def on_body(self, data: bytes) -> None:
        """Decode a piece of the body; store it or pass it to `on_data`."""
        self._carried += len(data)
        decoder = self._decoder
        assert decoder is not None
        if self.is_complete:  # the rest of a long error response, or of a stream that is over
            return
        for piece in decoder.feed(data):
            if self._on_data is not None and 200 <= self._status < 300:
                self.wait_s = self._on_data(piece)
                if self.wait_s == 0.0:
                    self.is_complete = True
                    return
            else:
                self._body += piece
        if decoder.is_full:
            self._end()

    def on_message_complete(self) -> None:
        """Finish the response, unless it is a 1xx response, which another one follows."""
        if self._status < 200:
            self._start_head()
            return
        if not self.is_complete:
            self._end()
        assert self._parser is not None
        self.keeps_alive = self._parser.should_keep_alive()

    # -----------------------------------------------------------------------------------------

    def _end(self) -> None:
        if self._decoder is not None:
            self._decoder.end()
        self.is_complete = True

    def _ends_with_connection(self) -> bool:
        headers = self._headers
        return b"content-length" not in headers and b"transfer-encoding" not in headers

    def _excess(self) -> ModelError | None:
        """Return the error for a response that is too large: its headers, chunks or body."""
        carried = self._carried
        if self._received - carried > MAX_HEAD_BYTES + carried * CHUNK_OVERHEAD:
            return malformed(f"more than {MAX_HEAD_BYTES} bytes of headers")
        if self._received > 2 * MAX_BODY_BYTES:
            return too_large(MAX_BODY_BYTES)
        return None
