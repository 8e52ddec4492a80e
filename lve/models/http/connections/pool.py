"""lve's own transport: HTTP/1.1 with a pool of keep-alive connections.

A call takes 0.1 ms of CPU here and 1.4 ms through the `openai` package (benchmarks/README.md). The
transport has what one JSON endpoint needs: TLS with the system's certificates, chunked and
compressed responses, a timeout per request. It has no cookies, and a redirect is an error that
names its target. Proxies: `lve.models.http.connections.proxy`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lve.errors import TransientModelError
from lve.json_types import JsonObject
from lve.limits.timeouts import in_time
from lve.models.http.connections.connection import Connection
from lve.models.http.connections.proxy import Proxy, check_answer, open_tunnel
from lve.models.http.connections.transport import (
    CONNECT_TIMEOUT_S,
    BufferLimit,
    HttpResponse,
    OnData,
)
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import connect_timed_out, connection_failed
from lve.models.http.json_body import encode
from lve.version import __version__

if TYPE_CHECKING:
    import ssl

IDLE_LIMIT_S = 60.0
"""Connections idle for longer aren't reused: gateways silently drop them."""
STALE_AFTER_S = 1.0
"""A server may close a connection that is idle for longer just when a request is written."""


class RequestHead(dict[str, bytes]):
    """Path -> what stands before the length of a request's body, put together once."""

    def __init__(self, target: str, query: str, headers: str) -> None:
        """Args:
        target: the server's path, or its URL where a proxy is asked.
        query: what follows the path, with its `?`.
        headers: all header lines, up to the value of Content-Length.
        """
        self._target, self._query, self._headers = target, query, headers

    def __missing__(self, path: str) -> bytes:
        line = f"POST {self._target}{path}{self._query} HTTP/1.1\r\n"
        head = self[path] = (line + self._headers).encode("latin-1")
        return head


class HttpTransport:
    """Sends JSON to one endpoint."""

    def __init__(
        self, endpoint: Endpoint, *, max_connections: int, proxy: Proxy | None = None
    ) -> None:
        """Args:
        endpoint: the server.
        max_connections: maximum number of connections at once.
        proxy: the proxy to the server.
        """
        parts = urlsplit(endpoint.base_url)
        self._where = endpoint.base_url
        self._secret = endpoint.secret
        self._tls = parts.scheme == "https"
        self._server = (parts.hostname or "", parts.port or (443 if self._tls else 80))
        self._ssl: ssl.SSLContext | None = None
        target, headers = parts.path, _header_lines(endpoint, parts.netloc)
        self._proxy = proxy
        self._peer, self._peer_tls = self._server, self._tls
        if proxy is not None:
            self._where += f" (through the proxy {proxy.name})"
            self._peer, self._peer_tls = (proxy.host, proxy.port), proxy.is_tls
            if not self._tls:
                target, headers = endpoint.base_url, proxy.header + headers
        query = f"?api-version={endpoint.api_version}" if endpoint.api_version else ""
        self._head = RequestHead(target, query, headers)
        self._free = max_connections  # a semaphore's coroutine would take longer than the rest
        self._queue = asyncio.Semaphore(0)
        self._queued = 0
        """Requests that wait for a connection."""
        self._idle: list[Connection] = []
        self._buffer_limit = BufferLimit()
        self._lookup: asyncio.Future[Any] | None = None
        """The first DNS lookup of the server or the proxy, which all requests share."""

    def post(
        self, path: str, body: JsonObject, *, timeout_s: float, on_data: OnData | None = None
    ) -> Coroutine[object, None, HttpResponse]:
        """Send `body`; see `Transport.post`."""
        # Neither this nor `get` is `async`: that would add a coroutine to each step of a request.
        data = encode(body)
        request = b"%b%d\r\n\r\n%b" % (self._head[path], len(data), data)
        return self._answered(self._exchange(request, timeout_s, on_data))

    def get(self, path: str, *, timeout_s: float) -> Coroutine[Any, Any, HttpResponse]:
        """Send a GET request; see `Transport.get`."""
        request = self._head[path].replace(b"POST", b"GET", 1) + b"0\r\n\r\n"
        return self._answered(self._exchange(request, timeout_s, None))

    def _answered(
        self, exchange: Coroutine[object, None, HttpResponse]
    ) -> Coroutine[object, None, HttpResponse]:
        """Return an exchange that fails if the proxy, not the server, has answered."""
        return exchange if self._proxy is None or self._tls else self._checked(exchange)

    async def _checked(self, exchange: Coroutine[object, None, HttpResponse]) -> HttpResponse:
        response = await exchange
        assert self._proxy is not None
        check_answer(response, self._proxy, self._where, self._secret)
        return response

    async def _exchange(
        self, request: bytes, timeout_s: float, on_data: OnData | None
    ) -> HttpResponse:
        if self._free:
            self._free -= 1
        else:
            self._queued += 1
            try:
                await self._queue.acquire()
            finally:
                self._queued -= 1
        connection: Connection | None = None
        try:
            sent_at = monotonic()
            connection = self._reuse(sent_at)
            if connection is not None:
                try:
                    return await connection.send(request, timeout_s, on_data, begun_at=sent_at)
                except TransientModelError as error:
                    if error.kind == "timeout" or not self._was_stale(connection, sent_at):
                        raise
            connection = await self._connect(max(0.0, sent_at + timeout_s - monotonic()))
            return await connection.send(request, timeout_s, on_data, begun_at=sent_at)
        except BaseException:
            if connection is not None:  # also if the caller is cancelled
                connection.close()
            raise
        finally:
            if connection is not None and connection.usable:
                connection.idle_since = monotonic()
                self._idle.append(connection)
            if self._queued:
                self._queue.release()
            else:
                self._free += 1

    async def aclose(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()
        await asyncio.sleep(0)  # lets the transports close their sockets

    def _reuse(self, now: float) -> Connection | None:
        """Return the most recently used idle connection, which is the least likely to be stale."""
        oldest = now - IDLE_LIMIT_S
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and connection.idle_since >= oldest and connection.is_quiet():
                return connection
            connection.close()
        return None

    def _was_stale(self, connection: Connection, sent_at: float) -> bool:
        """Return whether the server probably closed the idle connection before the request arrived.

        Only then does the transport resend the request itself. A server that hangs up on a fresh
        connection may have counted the request.
        """
        idle_s = sent_at - connection.idle_since
        return idle_s > STALE_AFTER_S and not connection.answer_begun

    async def _connect(self, timeout_s: float) -> Connection:
        loop = asyncio.get_running_loop()
        limit = min(CONNECT_TIMEOUT_S, timeout_s)
        if (self._tls or self._peer_tls) and self._ssl is None:
            self._ssl = _ssl_context()
        try:
            return await in_time(self._open(loop), limit)
        except TimeoutError:
            raise connect_timed_out(self._where, limit) from None
        except OSError as error:
            raise connection_failed(self._where, error, was_sent=False) from None

    async def _open(self, loop: asyncio.AbstractEventLoop) -> Connection:
        if self._lookup is None:
            self._lookup = asyncio.ensure_future(loop.getaddrinfo(*self._peer))
            self._lookup.add_done_callback(_mark_retrieved)
        try:
            # All requests share the first lookup: many at once would take a thread each.
            await asyncio.shield(self._lookup)
        except OSError:
            self._lookup = None
            raise
        connection = Connection(self._where, loop, self._buffer_limit)
        try:
            if self._proxy is not None and self._tls:
                assert self._ssl is not None
                await open_tunnel(
                    loop, self._proxy, connection, self._server, self._where, self._ssl
                )
            else:
                context = self._ssl if self._peer_tls else None
                await loop.create_connection(lambda: connection, *self._peer, ssl=context)
        except BaseException:
            connection.close()
            raise
        return connection


def _mark_retrieved(lookup: asyncio.Future[object]) -> None:
    """Keep asyncio from logging a failure that no request waits for any more."""
    if not lookup.cancelled():
        lookup.exception()


def _header_lines(endpoint: Endpoint, host: str) -> str:
    """Return all header lines, up to the value of Content-Length."""
    headers = {
        "Host": host,
        "User-Agent": f"lve/{__version__}",
        "Accept": "application/json, text/event-stream",
        # Compressing some hundred bytes costs more time than it saves.
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        **endpoint.headers,
    }
    name, value = endpoint.auth_header()
    headers[name] = value
    return "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "Content-Length: "


def _ssl_context() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, or those of `certifi` if the system
    has none."""
    import ssl

    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (context.cert_store_stats()["x509_ca"] or paths.cafile or paths.capath):
        try:
            import certifi  # type: ignore[import-not-found,unused-ignore]  # optional
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())
    return context
