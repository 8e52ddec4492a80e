"""The interface between wire format and network, and the memory that all its connections share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

CONNECT_TIMEOUT_S = 10.0
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
"""Variables that name proxies, in lower case."""
LARGEST_TOGETHER = 32 * 1024 * 1024
"""With more bytes than this, answers are read one after the other: a hundred connections with the
largest answer each would take 3 GB."""


class HttpResponse(NamedTuple):
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

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Ask for a resource and return the response, whatever its status; errors as `post`."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class Holder(Protocol):
    """A reader of a body, which can be paused."""

    def pause(self) -> None:
        """Stop reading for now."""
        ...

    def resume(self) -> None:
        """Continue reading."""
        ...


class HeldBytes:
    """Counts the bytes of all arriving bodies. If they are too many, only the oldest body is read
    on; other readers are paused until it has ended."""

    def __init__(self) -> None:
        self._sizes: dict[Holder, int] = {}
        self._total = 0
        self._paused: set[Holder] = set()

    def hold(self, holder: Holder, size: int) -> None:
        """Record how many bytes a reader holds; it may be paused."""
        self._total += size - self._sizes.get(holder, 0)
        self._sizes[holder] = size
        if self._total > LARGEST_TOGETHER and holder is not next(iter(self._sizes)):
            self._paused.add(holder)
            holder.pause()

    def release(self, holder: Holder) -> None:
        """Record that a reader's body has ended or failed."""
        self._total -= self._sizes.pop(holder, 0)
        self._resume(holder)
        if self._total <= LARGEST_TOGETHER:
            for waiting in list(self._paused):
                self._resume(waiting)
        elif self._sizes:
            self._resume(next(iter(self._sizes)))

    def _resume(self, holder: Holder) -> None:
        if holder in self._paused:
            self._paused.discard(holder)
            holder.resume()


class Waiter:
    """A reader in a coroutine, which awaits `wait` before it reads on."""

    def __init__(self) -> None:
        self._may_go_on = asyncio.Event()
        self._may_go_on.set()

    def pause(self) -> None:
        """Make `wait` block."""
        self._may_go_on.clear()

    def resume(self) -> None:
        """Let `wait` return."""
        self._may_go_on.set()

    async def wait(self) -> None:
        """Return as soon as the reader isn't paused."""
        await self._may_go_on.wait()
