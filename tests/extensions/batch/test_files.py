"""Uploads and downloads of files of any size, also with a server that misbehaves."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.server import Raw, Received, http, model_server

from lve.errors import ModelError, TransientModelError
from lve.extensions.batch import files
from lve.extensions.batch.files import FileTransport
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret

KEY = "sk-only-for-tests"


def moved(
    serve: Callable[[Received], Raw], work: Callable[[FileTransport], Awaitable[Any]], **fields: Any
) -> Any:
    """Do something with a transport to a server, and return what comes out."""

    async def run(url: str) -> Any:
        transport = FileTransport(Endpoint("openai", url, "m", Secret(KEY), **fields))
        try:
            return await work(transport)
        finally:
            await transport.aclose()

    with model_server(serve=serve) as server:
        return asyncio.run(run(server.url))


@pytest.mark.parametrize("lines", [[1], [1, "two", {"three": 3}], [0] * 10_000])
def test_lines_are_sent_as_one_list_of_known_length(lines: list[Any]) -> None:
    seen: list[Received] = []

    def serve(request: Received) -> Raw:
        seen.append(request)
        return Raw(http(200, b"{}"))

    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    found = moved(serve, lambda one: one.send("/x", io.BytesIO(text), (b'{"all":', b"}")))
    assert found.status == 200
    assert seen[0].json == {"all": lines}
    assert seen[0].headers["content-length"] == str(len(seen[0].body))
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_version_of_the_api_goes_along_beside_a_query() -> None:
    seen: list[str] = []

    def serve(request: Received) -> Raw:
        seen.append(request.query)
        return Raw(http(200, b"{}"))

    for path in ("/x", "/x?limit=1"):
        moved(serve, lambda one, path=path: one.get(path, timeout_s=5), api_version="v1")
    assert seen == ["api-version=v1", "limit=1&api-version=v1"]


def test_a_file_comes_whole_and_an_error_as_a_response() -> None:
    into = io.BytesIO()
    content = b"line\n" * 300_000
    assert moved(lambda _: Raw(http(200, content)), lambda one: one.download("/f", into)) is None
    assert into.getvalue() == content
    answer = Raw(http(500, b"x" * 1_000_000))
    found = moved(lambda _: answer, lambda one: one.download("/f", into))
    assert found.status == 500
    assert len(found.body) == 256 * 1024, "the rest of an error is ignored"


def test_files_and_objects_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOWNLOAD_BYTES", 1000)
    monkeypatch.setattr(files, "MAX_OBJECT_BYTES", 1000)
    answer = Raw(http(200, b"x" * 2000))
    for work in (
        lambda one: one.download("/f", io.BytesIO()),
        lambda one: one.get("/f", timeout_s=5),
    ):
        with pytest.raises(TransientModelError, match=r"more than 1,?000 bytes"):
            moved(lambda _: answer, work)


def test_a_redirect_is_not_followed() -> None:
    answer = Raw(http(302, b"", "Location: http://elsewhere.invalid/\r\n"))
    found = moved(lambda _: answer, lambda one: one.get("/x", timeout_s=5))
    assert (found.status, found.headers["location"]) == (302, "http://elsewhere.invalid/")


def test_a_connection_that_breaks_or_hangs_is_an_error_of_lve() -> None:
    with pytest.raises(ModelError) as failed:
        moved(lambda _: Raw(b"", close=True), lambda one: one.get("/x", timeout_s=5))
    assert failed.value.kind == "connection"
    half = Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    with pytest.raises(ModelError, match=r"no answer within 0.2 s"):
        moved(lambda _: half, lambda one: one.get("/x", timeout_s=0.2))
