"""The transport through the `openai` package.

It costs half a second to import and 1.4 ms per call (benchmarks/README.md), so `lve.models.http`
carries the ordinary case. This one serves what needs the package's abilities: proxies from the
environment, or the setting `options: {client: openai}`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lve.models.endpoint import Endpoint
from lve.models.failures import malformed, not_connected, timed_out
from lve.models.transport import CONNECT_TIMEOUT_S, LARGEST_BODY, Response
from lve.models.wire import encode

if TYPE_CHECKING:
    from openai import AsyncOpenAI

KEPT_ALIVE = 100
"""Idle connections that are kept. The package's pool looks at each of them on every request: with
500 a request costs twice as much as opening a connection for it."""


class OpenAIClientTransport:
    """Sends through `openai.AsyncOpenAI` or `openai.AsyncAzureOpenAI`."""

    def __init__(self, endpoint: Endpoint, *, max_connections: int) -> None:
        self._endpoint = endpoint
        self._client = _client(endpoint, max_connections)
        self._create: dict[str, Any] = {
            "/chat/completions": self._client.chat.completions,
            "/completions": self._client.completions,
            "/embeddings": self._client.embeddings,
        }

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout_s: float,
        on_data: Callable[[bytes], None] | None = None,
    ) -> Response:
        """Send `body`; see `Transport.post`."""
        import openai

        encode(body)  # refuses what is not JSON in our words
        send = self._whole(path, body) if on_data is None else self._parts(path, body, on_data)
        try:
            # The package's own timeout counts from byte to byte; ours counts everything.
            return await asyncio.wait_for(send, timeout_s)
        except asyncio.TimeoutError:
            raise timed_out(timeout_s) from None
        except openai.APITimeoutError as error:
            was_sent = not isinstance(error.__cause__, _never_connected())
            raise timed_out(timeout_s, was_sent=was_sent) from None
        except openai.APIStatusError as error:
            return _response(error.status_code, error.response.headers, error.response.content)
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            was_sent = not isinstance(cause, _never_connected())
            raise not_connected(self._endpoint.base_url, cause, was_sent=was_sent) from None

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _whole(self, path: str, body: Mapping[str, Any]) -> Response:
        create = self._create[path].with_raw_response.create
        raw = await create(**_arguments(body))
        if len(raw.content) > LARGEST_BODY:
            raise malformed(f"more than {LARGEST_BODY} bytes")
        return _response(raw.status_code, raw.headers, raw.content)

    async def _parts(
        self, path: str, body: Mapping[str, Any], on_data: Callable[[bytes], None]
    ) -> Response:
        import openai

        create = self._create[path].with_streaming_response.create
        size = 0
        async with create(**_arguments(body)) as raw:
            try:
                async for data in raw.iter_bytes():
                    size += len(data)
                    if size > LARGEST_BODY:
                        raise malformed(f"more than {LARGEST_BODY} bytes")
                    on_data(data)
            except _network_errors() as error:
                raise openai.APIConnectionError(request=raw.http_request) from error
            return _response(raw.status_code, raw.headers, b"")


def _client(endpoint: Endpoint, max_connections: int) -> AsyncOpenAI:
    import openai

    http = _http_module()
    common: dict[str, Any] = {
        "max_retries": 0,
        "timeout": http.Timeout(endpoint.timeout_s, connect=CONNECT_TIMEOUT_S),
        "default_headers": dict(endpoint.headers),
        "http_client": http.AsyncClient(
            limits=http.Limits(
                max_connections=max_connections,
                max_keepalive_connections=min(max_connections, KEPT_ALIVE),
            ),
            follow_redirects=False,
        ),
    }
    key = endpoint.secret.reveal()
    if endpoint.provider == "azure" and endpoint.api_version:
        credential: dict[str, Any] = {
            "api_key" if endpoint.auth == "api-key" else "azure_ad_token": key
        }
        azure: AsyncOpenAI = openai.AsyncAzureOpenAI(
            base_url=endpoint.base_url, api_version=endpoint.api_version, **credential, **common
        )
        return azure
    return openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=key, **common)


def _http_module() -> Any:
    """Return the HTTP library that this version of `openai` is built on (httpx or httpx2)."""
    import openai

    return import_module(type(openai.DEFAULT_CONNECTION_LIMITS).__module__.partition(".")[0])


def _never_connected() -> tuple[type[Exception], ...]:
    http = _http_module()
    return (http.ConnectError, http.ConnectTimeout, http.PoolTimeout)


def _network_errors() -> tuple[type[Exception], ...]:
    http = _http_module()
    return (http.HTTPError, http.StreamError)


def _arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """Give the package what it insists on by name and the rest as it is: model args that it
    doesn't know yet must reach the server too."""
    named = {k: body[k] for k in ("model", "messages", "prompt", "input") if k in body}
    return {**named, "extra_body": {k: v for k, v in body.items() if k not in named}}


def _response(status: int, headers: Mapping[str, str], body: bytes) -> Response:
    return Response(status, {k.lower(): v for k, v in headers.items()}, body)
