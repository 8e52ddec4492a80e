"""How a request gets to a server: the seam between the wire format and the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

CONNECT_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole HTTP answer."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; of a repeated header the last one."""
    body: bytes
    """Empty when the body went to `on_data`."""


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
        """Send `body` and return the answer, whatever its status.

        Args:
            path: below the base URL, such as `/chat/completions`.
            body: sent as JSON.
            timeout_s: seconds for everything, from connecting to the last byte.
            on_data: takes the body of a 2xx answer as it arrives, cut anywhere.

        Raises:
            TransientModelError: no connection, it broke, no HTTP, or out of time.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...
