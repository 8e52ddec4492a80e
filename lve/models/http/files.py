"""Uploads and downloads files of any size at a server, from disk and to disk.

The other transports hold bodies in memory and limit them to what one answer can have. Files are
few, so this one is built on the HTTP library of the `openai` package.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import IO, Any

from lve.models.http.body import LARGEST_ERROR
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import (
    malformed,
    no_connection,
    not_connected,
    printable,
    timed_out,
)
from lve.models.http.openai_client import http_module
from lve.models.http.transport import CONNECT_TIMEOUT_S, HttpResponse

LARGEST_FILE = 4_000_000_000
"""Most bytes of a file that is downloaded."""
LARGEST_OBJECT = 8 * 1024 * 1024
"""Most bytes of an answer that describes files or batches."""
PIECE_TIMEOUT_S = 120.0
"""Seconds between two pieces of a file."""


def is_id(text: str) -> bool:
    """Whether a text can be an id, which becomes a part of a path."""
    return (
        0 < len(text) <= 200 and text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    )


def id_in(data: Mapping[str, Any]) -> str:
    """Return the id of an object that a server describes.

    Raises:
        TransientModelError: it has none that can be part of a path.
    """
    found = data.get("id")
    if not isinstance(found, str) or not is_id(found):
        raise malformed(f"an id was expected, not {printable(str(found))!r}")
    return found


class FileTransport:
    """Moves files between this machine and one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: Any = None  # of either library that `http_module` returns

    async def upload(
        self, path: str, file: IO[bytes], name: str, fields: Mapping[str, str]
    ) -> HttpResponse:
        """Send a file as a form does; return the response, whatever its status.

        Args:
            path: path below the base URL.
            file: what is sent, from its beginning.
            name: its name.
            fields: the form's other fields.

        Raises:
            ModelError: the connection failed.
        """
        file.seek(0)
        files = {"file": (name, file, "application/jsonl")}
        async with self._sent("POST", path, data=dict(fields), files=files) as response:
            return await _whole(response)

    async def send(self, path: str, file: IO[bytes], around: tuple[bytes, bytes]) -> HttpResponse:
        """Send the lines of a file as one JSON list; return the response, whatever its status.

        Args:
            path: path below the base URL.
            file: what is sent, a JSON value on each line.
            around: what comes before and after the list.

        Raises:
            ModelError: the connection failed.
        """
        size = file.seek(0, os.SEEK_END) - 1 + sum(map(len, around)) + 2
        headers = {"Content-Type": "application/json", "Content-Length": str(size)}
        content = _as_list(file, around)
        async with self._sent("POST", path, headers, content=content) as response:
            return await _whole(response)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Ask for a small resource; its path may have a query."""
        async with self._sent("GET", path, timeout_s=timeout_s) as response:
            return await _whole(response)

    async def download(self, path: str, into: IO[bytes]) -> HttpResponse | None:
        """Write a file; return the response if it isn't a success.

        Raises:
            ModelError: the connection failed, or the file is too large.
        """
        size = 0
        async with self._sent("GET", path) as response:
            if not response.is_success:
                return await _whole(response)
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > LARGEST_FILE:
                    raise malformed(f"a file of more than {LARGEST_FILE:,} bytes")
                into.write(piece)
        return None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.aclose()

    @asynccontextmanager
    async def _sent(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        *,
        timeout_s: float = PIECE_TIMEOUT_S,
        **content: Any,
    ) -> AsyncIterator[Any]:
        """Send a request, with lve's errors for the library's."""
        http, endpoint = http_module(), self._endpoint
        if self._client is None:
            self._client = http.AsyncClient(follow_redirects=False)
        name, value = endpoint.auth_header()
        url = endpoint.base_url + path
        if endpoint.api_version:
            url += f"{'&' if '?' in path else '?'}api-version={endpoint.api_version}"
        request = self._client.build_request(
            method,
            url,
            headers={
                **endpoint.headers,
                **(headers or {}),
                "Accept-Encoding": "identity",
                name: value,
            },
            timeout=http.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            **content,
        )
        try:
            response = await self._client.send(request, stream=True)
            try:
                yield response
            finally:
                await response.aclose()
        except http.ConnectTimeout:
            raise no_connection(endpoint.base_url, CONNECT_TIMEOUT_S) from None
        except http.TimeoutException:
            raise timed_out(timeout_s) from None
        except http.HTTPError as error:
            raise not_connected(endpoint.base_url, error) from None


async def _as_list(file: IO[bytes], around: tuple[bytes, bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a file as a JSON list."""
    before, after = around
    file.seek(0)
    yield before + b"[" + file.readline().rstrip(b"\n")
    while line := file.readline():
        yield b"," + line.rstrip(b"\n")
    yield b"]" + after


async def _whole(response: Any) -> HttpResponse:
    """Return a response with its body, as far as it is read."""
    content = bytearray()
    largest = LARGEST_OBJECT if response.is_success else LARGEST_ERROR
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > largest and response.is_success:
            raise malformed(f"more than {largest} bytes")
        if len(content) > largest:
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(response.status_code, headers, bytes(content[:largest]))
