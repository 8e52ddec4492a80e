"""The interface between wire format and network: sends a request, returns the response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

CONNECT_TIMEOUT_S = 10.0
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
"""Variables that name proxies, in lower case."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A complete HTTP response."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; the last value of a repeated header."""
    body: bytes
    """Empty if the body was passed to `on_data`."""


class Transport(Protocol):
    """Sends JSON to one endpoint. One call is one attempt."""

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout_s: float,
        on_data: Callable[[bytes], None] | None = None,
    ) -> HttpResponse:
        """Send `body` as JSON and return the response, whatever its status.

        Args:
            path: path below the base URL, such as `/chat/completions`.
            body: the JSON object.
            timeout_s: seconds for everything, from connecting to the last byte.
            on_data: takes the body of a 2xx response as it arrives, in pieces of any size.

        Raises:
            TransientModelError: the connection failed or broke, the response isn't HTTP, or the
                time is over.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...
