"""The interface of HTTP transports, and the limit on the memory of all bodies that arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol

from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple

CONNECT_TIMEOUT_S = 10.0
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
"""Environment variables that name proxies, in lower case."""
MAX_BUFFERED_BYTES = 32 * 1024 * 1024
"""With more buffered bytes, only one body at a time is read: a hundred connections with the largest
body each would take 3 GB."""


class Headers(Mapping[str, str]):
    """The headers of a response, decoded when they are asked for: servers send twenty, and nobody
    reads those of a good answer."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Mapping[bytes, bytes]) -> None:
        self._raw = raw

    def __getitem__(self, name: str) -> str:
        return self._raw[name.encode("latin-1")].decode("latin-1")

    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1") for name in self._raw)

    def __len__(self) -> int:
        return len(self._raw)


OnData = Callable[[bytes], float | None]
"""Takes the body of a 2xx response as it arrives, in pieces of any size. Returns how many seconds
to wait for more if it has all that it needs, 0 if the rest shall not be read; else None."""


class HttpResponse(NamedTuple):
    """A complete HTTP response."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; the last value if a header is repeated."""
    body: bytes
    """Empty if the body was passed to `on_data`."""

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300


class Transport(Protocol):
    """Sends JSON to one endpoint. One call is one attempt."""

    async def post(
        self, path: str, body: JsonObject, *, timeout_s: float, on_data: OnData | None = None
    ) -> HttpResponse:
        """Send `body` as JSON and return the response, whatever its status.

        Args:
            path: path below the base URL, such as `/chat/completions`.
            body: the JSON object.
            timeout_s: time limit in seconds, from connecting to the last byte.
            on_data: takes the body of a 2xx response.

        Raises:
            TransientModelError: the connection failed or broke, the response isn't HTTP, or the
                time is over.
        """
        ...

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Send a GET request and return the response, whatever its status; errors as `post`."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class PausableReader(Protocol):
    """A reader of a body that can be paused."""

    def pause(self) -> None:
        """Stop reading for now."""
        ...

    def resume(self) -> None:
        """Continue reading."""
        ...


BLOCK_BYTES = 16 * 1024
"""Bytes read at once, which take at most some milliseconds to parse. After each block, the loop
serves other connections, deadlines and Ctrl-C."""


class BufferLimit:
    """Counts the buffered bytes of all arriving bodies. Above `MAX_BUFFERED_BYTES`, only the reader
    of the oldest body continues; the others are paused until that body has ended."""

    def __init__(self) -> None:
        self.block = memoryview(bytearray(BLOCK_BYTES))
        """Where bytes arrive. One for all: they are parsed before another connection is read."""
        self._sizes: dict[PausableReader, int] = {}
        self._total = 0
        self._paused: set[PausableReader] = set()

    def hold(self, reader: PausableReader, size: int) -> None:
        """Record that `reader` has buffered `size` bytes so far; this may pause it."""
        self._total += size - self._sizes.get(reader, 0)
        self._sizes[reader] = size
        if self._total > MAX_BUFFERED_BYTES and reader is not next(iter(self._sizes)):
            self._paused.add(reader)
            reader.pause()

    def release(self, reader: PausableReader) -> None:
        """Record that a reader's body has ended or failed."""
        self._total -= self._sizes.pop(reader, 0)
        self._resume(reader)
        if self._total <= MAX_BUFFERED_BYTES:
            for waiting in list(self._paused):
                self._resume(waiting)
        elif self._sizes:
            self._resume(next(iter(self._sizes)))

    def _resume(self, reader: PausableReader) -> None:
        if reader in self._paused:
            self._paused.discard(reader)
            reader.resume()


class AwaitableReader:
    """A pausable reader for coroutines, which await `wait` before they read on."""

    def __init__(self) -> None:
        self._is_resumed = asyncio.Event()
        self._is_resumed.set()

    def pause(self) -> None:
        """Make `wait` block."""
        self._is_resumed.clear()

    def resume(self) -> None:
        """Let `wait` return."""
        self._is_resumed.set()

    async def wait(self) -> None:
        """Return as soon as the reader isn't paused."""
        await self._is_resumed.wait()


def http_module() -> Any:
    """Return the HTTP library that this version of `openai` uses (httpx or httpx2)."""
    import openai

    return import_module(type(openai.DEFAULT_CONNECTION_LIMITS).__module__.partition(".")[0])
