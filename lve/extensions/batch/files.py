"""Uploads and downloads large files, from disk and to disk, for batch APIs.

The other transports hold bodies in memory and limit their size. Files are rare, so this one uses
the HTTP library of the `openai` package.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import IO, Any

from lve.errors import ModelError
from lve.json_types import JsonObject
from lve.models.http.answers import parse_success
from lve.models.http.connections.body import MAX_ERROR_BYTES
from lve.models.http.connections.transport import CONNECT_TIMEOUT_S, HttpResponse, http_module
from lve.models.http.endpoint import Endpoint
from lve.models.http.failures import (
    classify,
    connect_timed_out,
    connection_failed,
    malformed,
    printable,
    timed_out,
)

MAX_DOWNLOAD_BYTES = 4_000_000_000
"""Maximum size of a downloaded file."""
MAX_OBJECT_BYTES = 8 * 1024 * 1024
"""Maximum size of a response that describes files or batches."""
PIECE_TIMEOUT_S = 120.0
"""Maximum time in seconds between two pieces of a file."""


def is_id(text: str) -> bool:
    """Return whether a text is safe as an id, which becomes a part of a URL's path."""
    return (
        0 < len(text) <= 200 and text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    )


def id_in(data: JsonObject) -> str:
    """Return the `id` of an object from a server.

    Raises:
        TransientModelError: there is none that is safe in a URL's path.
    """
    id_ = data.get("id")
    if not isinstance(id_, str) or not is_id(id_):
        raise malformed(f"an id was expected, not {printable(str(id_))!r}")
    return id_


class FileTransport:
    """Uploads files to one endpoint and downloads files from it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: Any = None  # a client of the library that `http_module` returns

    async def upload(
        self, path: str, file: IO[bytes], name: str, fields: Mapping[str, str]
    ) -> HttpResponse:
        """Send a file as a multipart form; return the response, whatever its status.

        Args:
            path: path below the base URL.
            file: the file, sent from its beginning.
            name: the file's name.
            fields: the form's other fields.

        Raises:
            ModelError: the connection failed.
        """
        file.seek(0)
        files = {"file": (name, file, "application/jsonl")}
        async with self._send("POST", path, data=dict(fields), files=files) as response:
            return await _read_response(response)

    async def send(self, path: str, file: IO[bytes], around: tuple[bytes, bytes]) -> HttpResponse:
        """Send the lines of a file as one JSON list; return the response, whatever its status.

        Args:
            path: path below the base URL.
            file: a file with a JSON value on each line.
            around: the bytes before and after the list.

        Raises:
            ModelError: the connection failed.
        """
        size = file.seek(0, os.SEEK_END) - 1 + sum(map(len, around)) + 2
        headers = {"Content-Type": "application/json", "Content-Length": str(size)}
        content = _as_list(file, around)
        async with self._send("POST", path, headers, content=content) as response:
            return await _read_response(response)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Send a GET request for a small resource; `path` may have a query."""
        async with self._send("GET", path, timeout_s=timeout_s) as response:
            return await _read_response(response)

    async def download(self, path: str, into: IO[bytes]) -> HttpResponse | None:
        """Download a file to `into`; return the response if its status isn't a success, else None.

        Raises:
            ModelError: the connection failed, or the file is too large.
        """
        size = 0
        async with self._send("GET", path) as response:
            if not response.is_success:
                return await _read_response(response)
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > MAX_DOWNLOAD_BYTES:
                    raise malformed(f"a file of more than {MAX_DOWNLOAD_BYTES:,} bytes")
                into.write(piece)
        return None

    async def get_object(self, path: str) -> JsonObject:
        """Send a GET request and return the object in the response; errors as `object_in`."""
        return self.object_in(await self.get(path, timeout_s=self._endpoint.timeout_s))

    def object_in(self, response: HttpResponse) -> JsonObject:
        """Return the JSON object in a response.

        Raises:
            ModelError: the response's status isn't a success, or it has no object.
        """
        if not response.is_success:
            raise self.failure(response)
        return parse_success(response.body, secret=self._endpoint.secret)

    def failure(self, response: HttpResponse) -> ModelError:
        """Return the error for a response whose status isn't a success."""
        secret = self._endpoint.secret
        return classify(response.status, response.headers, response.body, secret=secret)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.aclose()

    @asynccontextmanager
    async def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        *,
        timeout_s: float = PIECE_TIMEOUT_S,
        **content: Any,
    ) -> AsyncIterator[Any]:
        """Send a request and yield the response; the library's errors become lve's."""
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
            raise connect_timed_out(endpoint.base_url, CONNECT_TIMEOUT_S) from None
        except http.TimeoutException:
            raise timed_out(timeout_s) from None
        except http.HTTPError as error:
            raise connection_failed(endpoint.base_url, error) from None


async def _as_list(file: IO[bytes], around: tuple[bytes, bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a file as a JSON list."""
    before, after = around
    file.seek(0)
    yield before + b"[" + file.readline().rstrip(b"\n")
    while line := file.readline():
        yield b"," + line.rstrip(b"\n")
    yield b"]" + after


async def _read_response(response: Any) -> HttpResponse:
    """Return a response with its body, which is truncated at a limit if it reports an error."""
    content = bytearray()
    largest = MAX_OBJECT_BYTES if response.is_success else MAX_ERROR_BYTES
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > largest and response.is_success:
            raise malformed(f"more than {largest} bytes")
        if len(content) > largest:
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(response.status_code, headers, bytes(content[:largest]))
