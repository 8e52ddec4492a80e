"""Sends requests of any method to any address, over lve's own connections."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from lve.errors import SettingsError, UsageError
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.proxy import Proxy, proxy_to
from lve.models.http.connections.transport import HttpResponse, OnData
from lve.models.http.endpoint import Endpoint, checked_url
from lve.models.http.keys import NO_KEY, Secret
from lve.named_tuples import NamedTuple
from lve.version import __version__


class HttpRequest(NamedTuple):
    """A request, ready to be sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class OriginTransport(HttpTransport):
    """The connections to one scheme, host and port."""

    def __init__(
        self, origin: str, target: str, *, max_connections: int, proxy: Proxy | None
    ) -> None:
        """Args:
        origin: the address without a path.
        target: the target's name.
        max_connections: maximum number of connections at once.
        proxy: the proxy to the server.
        """
        endpoint = Endpoint("http", origin, target, Secret(NO_KEY))
        super().__init__(endpoint, max_connections=max_connections, proxy=proxy)
        is_relayed = proxy is not None and origin.startswith("http:")
        self._before_path = origin if is_relayed else ""
        self._proxy_header = proxy.header if proxy is not None and is_relayed else ""
        self._host = urlsplit(origin).netloc

    async def send(
        self, request: HttpRequest, *, timeout_s: float, on_data: OnData | None = None
    ) -> HttpResponse:
        """Send a request; arguments and errors as `Transport.post`."""
        parts = urlsplit(request.url)
        path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        headers = {
            "Host": self._host,
            "User-Agent": f"lve/{__version__}",
            "Accept": "application/json, text/event-stream, */*",
            "Accept-Encoding": "identity",
            **request.headers,
            "Content-Length": str(len(request.body)),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        first = f"{request.method} {self._before_path}{path} HTTP/1.1\r\n"
        head = (first + self._proxy_header + lines + "\r\n").encode("latin-1")
        return await self._answered(self._exchange(head + request.body, timeout_s, on_data))


class Transports:
    """Connections to all servers of a target: the endpoint's, that of its tokens, that of jobs."""

    def __init__(self, target: str, max_connections: int) -> None:
        self._target = target
        self._max_connections = max_connections
        self._by_origin: dict[str, OriginTransport] = {}

    async def send(
        self, request: HttpRequest, *, timeout_s: float, on_data: OnData | None = None
    ) -> HttpResponse:
        """Send a request; arguments and errors as `OriginTransport.send`."""
        parts = urlsplit(request.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        transport = self._by_origin.get(origin)
        if transport is None:
            transport = OriginTransport(
                origin,
                self._target,
                max_connections=self._max_connections,
                proxy=proxy_to(origin),
            )
            self._by_origin[origin] = transport
        return await transport.send(request, timeout_s=timeout_s, on_data=on_data)

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._by_origin.values():
            await transport.aclose()


def check_address(url: str, target: str, where: str) -> None:
    """Check the address of a setting.

    Raises:
        SettingsError: it is none, or has a password.
    """
    without_query = url.partition("?")[0].partition("#")[0]
    try:
        checked_url(without_query.replace("{", "").replace("}", ""), target)
    except UsageError as error:
        raise SettingsError(f"{where}: {error}", code="base_url") from None
