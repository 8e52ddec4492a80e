"""A small web server for one local user, with limits on time, connections and bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase, BufferedReader
from typing import Any, Protocol, cast

from lve.documents.json_lines import json_line
from lve.errors import LveError, UsageError
from lve.extensions.view.connections import Connections
from lve.extensions.view.guard import JSON, Guard, Refusal
from lve.json_types import JsonObject

ADDRESS = "127.0.0.1"
MAX_BODY_BYTES = 64_000
MAX_HEAD_BYTES = 64_000
"""Request line and headers."""
PAUSE_S = 10.0
"""Socket timeout: for reading from a client, and for sending it an answer."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every response."""


class ViewedContent(Protocol):
    """What the server shows. Several threads call its methods."""

    def page(self) -> bytes:
        """Return the page."""
        ...

    def part(self, path: str) -> str | None:
        """Return a part that a page asks for later; None if `path` isn't one."""
        ...

    def state(self) -> Mapping[str, Any]:
        """Return the progress of the sessions."""
        ...

    def labels(self) -> list[JsonObject]:
        """Return the labels that people gave to answers."""
        ...

    def label(self, label: object) -> None:
        """Store the user's label of an answer.

        Args:
            label: the request's JSON.

        Raises:
            UsageError: `label` isn't a label of an existing answer.
            SessionError: the label can't be written.
        """
        ...


class ViewServer(ThreadingHTTPServer):
    """Serves the page on the loopback address."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, viewed: ViewedContent, port: int = 0) -> None:
        """
        Args:
            viewed: the content.
            port: the port; 0 picks a free one.

        Raises:
            UsageError: the port can't be used.
        """
        self.viewed = viewed
        self.connections = Connections()
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(
                f"port {port} can't be used: {why}. --port 0 finds one", code="port"
            ) from error
        self.guard = Guard(self.server_port)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a request in its own thread, or reject it if there are too many."""
        if not self.connections.take(request):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no more threads
            self.connections.closed(request)
            self.shutdown_request(request)

    def service_actions(self) -> None:
        """Several times a second: close the connections whose requests don't arrive."""
        self.connections.close_late_ones()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.closed(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing if a client disconnects."""


class _BoundedHead:
    """What a client sends, of which request line and headers have at most `MAX_HEAD_BYTES`.
    (Python's limit is six megabytes.)"""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream
        self._left = MAX_HEAD_BYTES

    def readline(self, size: int) -> bytes:
        """Return a line of the head.

        Raises:
            HTTPException: the head is too long.
        """
        if self._left <= 0:
            raise HTTPException("the head is too long")
        line = self._stream.readline(size)
        self._left -= len(line)
        return line

    def read(self, size: int) -> bytes:
        """Return the body."""
        return self._stream.read(size)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers the single request of a connection."""

    server: ViewServer
    timeout = PAUSE_S
    server_version, sys_version = "lve", ""

    def setup(self) -> None:
        super().setup()
        self.rfile = cast("BufferedReader", _BoundedHead(self.rfile))

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log, because requests contain the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that isn't HTTP or has an unknown method."""
        self.request_version = "HTTP/1.1"  # an invalid request line counts as HTTP/0.9
        self._send(code, b"this can't be answered\n", "text/plain")

    def do_GET(self) -> None:
        """Answer a read request."""
        path = self._allowed()
        if path is None:
            return
        self._arrived()
        guard, viewed = self.server.guard, self.server.viewed
        if path.startswith("/open/"):
            if guard.use_ticket(path):
                self._head(303, 0, "text/plain", Location=guard.root)
            else:
                self._refuse(Refusal(403, "this address was used already: open the printed one"))
            return
        try:
            if path == guard.root:
                self._send(200, viewed.page(), "text/html; charset=utf-8")
            elif path == f"{guard.root}state":
                self._send_json(viewed.state())
            elif path == f"{guard.root}labels":
                self._send_json({"labels": viewed.labels()})
            elif (part := viewed.part(path.removeprefix(guard.root))) is not None:
                self._send(200, part.encode("ascii"), "text/plain")
            else:
                self._refuse(Refusal(404, "there is nothing here"))
        except UsageError as error:
            self._refuse(Refusal(404, str(error)))
        except LveError as error:
            self._refuse(Refusal(500, str(error)))

    def do_POST(self) -> None:
        """Store a label."""
        path = self._allowed()
        if path is None:
            return
        if path != f"{self.server.guard.root}labels":
            self._refuse(Refusal(404, "there is nothing here"))
            return
        try:
            body = self._body()
            self._arrived()
            self.server.viewed.label(body)
        except UsageError as error:
            self._refuse(Refusal(400, str(error)))
        except LveError as error:
            self._refuse(Refusal(500, str(error)))
        else:
            self._send_json({})

    def _arrived(self) -> None:
        """Note that the request is complete and has the token: answering it may take long."""
        self.server.connections.arrived(self.connection)

    def _allowed(self) -> str | None:
        """Return the request's path; None if the request was refused."""
        path = self.path.partition("?")[0]
        refusal = self.server.guard.refusal(self.command, path, self.headers)
        if refusal is not None:
            self._refuse(refusal)
            return None
        return path

    def _body(self) -> object:
        """Return the request's JSON.

        Raises:
            UsageError: the body isn't JSON, or is too long.
        """
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit()) or "Transfer-Encoding" in self.headers:
            raise UsageError("say how long the body is", code="page_request")
        if len(size) > 9 or int(size) > MAX_BODY_BYTES:
            raise UsageError(f"a body has at most {MAX_BODY_BYTES:,} bytes", code="page_request")
        try:
            return json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError):
            raise UsageError("the body isn't JSON", code="page_request") from None
        except OSError as error:
            raise UsageError("the body didn't come", code="page_request") from error

    def _refuse(self, refusal: Refusal) -> None:
        body = json_line({"error": refusal.why}).encode("ascii")
        self._send(refusal.status, body, JSON)

    def _send_json(self, value: Mapping[str, object]) -> None:
        self._send(200, json_line(value).encode("ascii"), JSON)

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self._head(status, len(body), kind)
        with suppress(OSError):  # the client is gone or too slow
            self.wfile.write(body)

    def _head(self, status: int, length: int, kind: str, **more: str) -> None:
        self._arrived()
        self.send_response_only(status)
        for name, value in {**HEADERS, **more}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        with suppress(OSError):
            self.end_headers()
