"""The transport through the `openai` package, for `options: {client: openai}`.

The package takes half a second to import and 1.4 ms per call (benchmarks/README.md), so
`lve.models.http.connections.pool` serves the ordinary case.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lve.errors import ModelError
from lve.limits.timeouts import in_time
from lve.models.http.connections.body import BodyDecoder
from lve.models.http.connections.proxy import proxy_url, proxy_variables, unusable
from lve.models.http.connections.transport import (
    CONNECT_TIMEOUT_S,
    AwaitableReader,
    BufferLimit,
    HttpResponse,
    OnData,
    http_module,
)
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import connect_timed_out, connection_failed, printable, timed_out
from lve.models.http.json_body import encode

if TYPE_CHECKING:
    from openai import AsyncOpenAI

KEPT_ALIVE = 100
"""Maximum number of idle connections. The package's pool checks each of them on every request: with
500, that takes twice as long as opening a new one."""
NEEDS_PACKAGE = "a SOCKS proxy needs a package: pip install 'httpx[socks]'"
PROXY_FORMS = "a proxy's URL is written http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
TURN_S = 0.002
"""Seconds of reading one body before the loop serves others, deadlines and Ctrl-C."""
_FROM_THE_ENVIRONMENT = ("Authorization", "api-key", "OpenAI-Organization", "OpenAI-Project")


class OpenAIClientTransport:
    """Sends through `openai.AsyncOpenAI`."""

    def __init__(self, endpoint: Endpoint, *, max_connections: int) -> None:
        """Args:
        endpoint: the server.
        max_connections: maximum number of connections at once.

        Raises:
            SettingsError: a proxy in the environment can't be used.
        """
        # The package finds the proxy itself; its user and password are left out of messages.
        proxy = proxy_url(endpoint.base_url)
        through = f" (through the proxy {proxy.rpartition('@')[2]})" if proxy else ""
        self._where = printable(f"{endpoint.base_url}{through}")
        self._endpoint = endpoint
        self._client = _client(endpoint, max_connections)
        self._buffer_limit = BufferLimit()

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout_s: float,
        on_data: OnData | None = None,
    ) -> HttpResponse:
        """Send `body`; see `Transport.post`."""
        encode(body)  # raises lve's own error if it can't be JSON
        return await self._with_timeout(self._exchange(path, body, on_data), timeout_s)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Send a GET request; see `Transport.get`."""
        return await self._with_timeout(self._get(path), timeout_s)

    async def _with_timeout(
        self, exchange: Awaitable[HttpResponse], timeout_s: float
    ) -> HttpResponse:
        """Return the response of an exchange; the package's errors become lve's."""
        import openai

        try:
            # The package's timeout only limits the time between two bytes.
            return await in_time(exchange, timeout_s)
        except TimeoutError:
            raise timed_out(timeout_s) from None
        except openai.APITimeoutError as error:
            if isinstance(error.__cause__, _never_connected()):
                limit = min(CONNECT_TIMEOUT_S, timeout_s)
                raise connect_timed_out(self._where, limit) from None
            raise timed_out(timeout_s) from None
        except openai.APIStatusError as error:
            return _response(error.status_code, error.response.headers, error.response.content)
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            if isinstance(cause, ModelError):  # from `_read_bounded`
                raise cause from None
            was_sent = not isinstance(cause, _never_connected())
            raise connection_failed(self._where, cause, was_sent=was_sent) from None

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _exchange(
        self, path: str, body: Mapping[str, Any], on_data: OnData | None
    ) -> HttpResponse:
        import openai

        stream: Any = await self._client.post(
            path, body=body, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]
        )
        raw = stream.response
        try:
            if on_data is None:
                content = await self._collected(raw)
            else:
                content = b""
                await _streamed(raw, on_data)
        except _network_errors() as error:
            raise openai.APIConnectionError(request=raw.request) from error
        finally:
            await stream.close()
        return _response(raw.status_code, raw.headers, content)

    async def _get(self, path: str) -> HttpResponse:
        raw = await self._client.get(path, cast_to=http_module().Response)
        return _response(raw.status_code, raw.headers, raw.content)

    async def _collected(self, raw: Any) -> bytes:
        content, waiter = bytearray(), AwaitableReader()
        try:
            async for data in raw.aiter_bytes():
                content += data
                self._buffer_limit.hold(waiter, len(content))
                await waiter.wait()
        finally:
            self._buffer_limit.release(waiter)
        return bytes(content)


def _client(endpoint: Endpoint, max_connections: int) -> AsyncOpenAI:
    import openai

    http = http_module()
    limits = http.Limits(
        max_connections=max_connections,
        max_keepalive_connections=min(max_connections, KEPT_ALIVE),
    )
    hooks = {"request": [_own_headers_only(endpoint)], "response": [_read_bounded]}
    try:
        _check_proxy_ports()
        http_client = http.AsyncClient(
            verify=_tls_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            limits=limits,
            follow_redirects=False,
            event_hooks=hooks,
        )
    except (ImportError, ValueError, http.InvalidURL) as error:
        is_socks = isinstance(error, ImportError)
        raise unusable(NEEDS_PACKAGE if is_socks else PROXY_FORMS) from None
    return openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.secret.reveal(),
        max_retries=0,
        timeout=http.Timeout(endpoint.timeout_s, connect=CONNECT_TIMEOUT_S),
        default_headers={"Accept-Encoding": "identity"},
        default_query={"api-version": endpoint.api_version} if endpoint.api_version else None,
        http_client=http_client,
    )


@cache
def _tls_context(*_: str | None) -> Any:
    """Return what the package would make for each client, in 30 to 100 ms, even if it connects
    without TLS. The arguments are the variables that it reads."""
    return http_module().create_ssl_context()


def _check_proxy_ports() -> None:
    """Raise a ValueError if a proxy's port is invalid; httpx would notice only when it connects."""
    for name in proxy_variables():
        url = os.environ[name]
        _ = urlsplit(url if "://" in url else f"http://{url}").port


def _own_headers_only(endpoint: Endpoint) -> Callable[[Any], Awaitable[None]]:
    """Return a request hook that sends only the endpoint's own credentials. The package would send
    those in the environment (another key, the organisation's name) to any server."""
    name, value = endpoint.auth_header()
    own = {**endpoint.headers, name: value}

    async def set_headers(request: Any) -> None:
        for header in _FROM_THE_ENVIRONMENT:
            request.headers.pop(header, None)
        request.headers.update(own)

    return set_headers


async def _read_bounded(answer: Any) -> None:
    """Replace the body of a response by one that is decompressed within limits: the package would
    inflate a megabyte to a gigabyte of zeros."""
    decoder = BodyDecoder(answer.status_code, answer.headers.pop("content-encoding", None))
    answer.stream = _bounded_stream(answer.stream, decoder)


def _bounded_stream(stream: Any, decoder: BodyDecoder) -> Any:
    class BoundedStream(http_module().AsyncByteStream):  # type: ignore[misc]  # of either library
        """A body read through `decoder`."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            turn_ends = time.monotonic() + TURN_S
            async for data in stream:
                for piece in decoder.feed(data):
                    yield piece
                if decoder.is_full:
                    return
                # The package passes on thousands of chunks without yielding to the loop.
                if time.monotonic() >= turn_ends:
                    await asyncio.sleep(0)
                    turn_ends = time.monotonic() + TURN_S
            decoder.end()

        async def aclose(self) -> None:
            await stream.aclose()

    return BoundedStream()


async def _streamed(raw: Any, on_data: OnData) -> None:
    """Pass the body of a response on as it arrives, until it ends or nothing of it is needed."""
    loop = asyncio.get_running_loop()
    with suppress(TimeoutError):  # of this limit alone: the package's errors are of other types
        async with asyncio.timeout(None) as limit:
            async for data in raw.aiter_bytes():
                wait_s = on_data(data)
                if wait_s == 0.0:
                    return
                limit.reschedule(None if wait_s is None else loop.time() + wait_s)


def _never_connected() -> tuple[type[Exception], ...]:
    http = http_module()
    return (http.ConnectError, http.ConnectTimeout, http.PoolTimeout)


def _network_errors() -> tuple[type[Exception], ...]:
    http = http_module()
    return (http.HTTPError, http.StreamError)


def _response(status: int, headers: Mapping[str, str], body: bytes) -> HttpResponse:
    return HttpResponse(status, {k.lower(): v for k, v in headers.items()}, body)
