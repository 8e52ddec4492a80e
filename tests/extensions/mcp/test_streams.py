"""What MCP servers may send: too much of it ends the connection before it fills the memory."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.packages import needs

from lve.child.answers import UnreadableAnswerError
from lve.errors import UsageError
from lve.extensions.mcp.servers import ToolServers
from lve.extensions.mcp.streams import checked_parts
from lve.messages import ToolCall
from lve.settings.programs import ToolServer

pytestmark = needs("mcp")
PROGRAM = """
import json, sys, time

def send(content):
    sys.stdout.write(content + "\\n")
    sys.stdout.flush()

def answer(asked, **result):
    send(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}))

def said(text):
    return {{"content": [{{"type": "text", "text": text}}]}}

for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        version = asked["params"]["protocolVersion"]
        answer(asked, protocolVersion=version, capabilities={{"tools": {{}}}},
               serverInfo={{"name": "x", "version": "1"}})
    elif asked.get("method") == "tools/list":
        answer(asked, tools=[{{"name": "t", "inputSchema": {{"type": "object"}}}}])
    elif asked.get("method") == "tools/call":
        {body}
"""
FLOOD = "while True: sys.stdout.write('x' * 100_000)"
OBJECTS = """send('{"jsonrpc":"2.0","id":1,"result":{"a":[' + '{},' * 5_000_000 + '{}]}}')"""


def call(folder: Path, body: str, timeout_s: float = 30) -> str:
    """Return the result of a call of a server that answers as `body` says."""
    file = folder / "server.py"
    file.write_text(PROGRAM.format(body=body), encoding="utf-8")
    server = ToolServer(command=(sys.executable, str(file)), timeout_s=timeout_s)

    async def called() -> str:
        servers = ToolServers({"x": server}, trusted=True)
        try:
            live = await servers.connect(["x"])
            return await live.call(ToolCall("1", "t", "{}"))
        finally:
            await servers.close()

    return asyncio.run(called())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("answer(asked, **said('hi'))", "hi"),
        ("send('no message'); send('[1]'); send(''); answer(asked, **said('hi'))", "hi"),
        ("answer(asked, **said('é' * 300_000))", "é" * 300_000),
        (FLOOD, "Error: it gave an answer of more than 16 MB"),
        (OBJECTS, "Error: it gave an answer of more than 200,000 values"),
        ("send('[' * 5_000_000)", "Error: it gave an answer of more than 200,000 values"),
        ("send('[' * 500 + ']' * 500)", "Error: it gave an answer that is nested more than 100"),
        ("sys.exit()", "Error: "),
    ],
)
def test_a_message_is_bounded_and_others_arrive(body: str, said: str, tmp_path: Path) -> None:
    assert call(tmp_path, body)[: len(said)] == said


def test_a_server_that_writes_something_else_is_named_with_what_it_wrote(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = (
        "print('Starting \\x1b[31mup ...', flush=True); print('more', flush=True); input(); input()"
    )
    server = ToolServer(command=(sys.executable, "-c", code), timeout_s=5)

    async def connect() -> None:
        servers = ToolServers({"noisy": server}, trusted=True)
        try:
            await servers.connect(["noisy"])
        finally:
            await servers.close()

    with pytest.raises(UsageError) as caught:
        asyncio.run(connect())
    assert str(caught.value).startswith("the tool server noisy ")
    assert "it wrote a line that is no message of MCP: 'Starting \\x1b[31mup ...'" in str(
        caught.value
    )
    assert "more" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_call_without_result_says_what_came_instead(tmp_path: Path) -> None:
    said = call(tmp_path, "send('oops')", timeout_s=4)
    assert said == "Error: no result within 4 s; it wrote a line that is no message of MCP: 'oops'"


def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    code = f"import time; time.sleep(8); open({str(alive)!r}, 'w')"
    body = f"import subprocess; subprocess.Popen([sys.executable, '-c', {code!r}]);"
    assert call(tmp_path, f"{body} answer(asked, **said('hi'))") == "hi"
    time.sleep(8.5)
    assert not alive.exists()


@contextmanager
def serving(kind: str, body: bytes, encoding: str | None = None) -> Iterator[str]:
    """Answer every request in the same way."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            if encoding is not None:
                self.send_header("Content-Encoding", encoding)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(body)
            except OSError:  # nobody listens any more
                pass

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("kind", "body", "encoding", "why"),
    [
        ("application/json", b"{}," * 100_000, None, "it gave an answer of more than 16 MB"),
        ("text/event-stream", b"data: " + b"{}," * 100_000, None, "SSE stream ended"),
        ("application/json", b"x" * 100_000, "gzip", "it gave a compressed answer"),
    ],
)
def test_a_server_over_http_is_bounded(
    kind: str, body: bytes, encoding: str | None, why: str
) -> None:
    with serving(kind, body, encoding) as url:

        async def connect() -> None:
            servers = ToolServers({"x": ToolServer(url=url, timeout_s=20)}, trusted=True)
            try:
                await servers.connect(["x"])
            finally:
                await servers.close()

        with pytest.raises(UsageError, match=f"the tool server x can't be used: {why}"):
            asyncio.run(connect())


def parts_of(blocks: list[bytes], *, of_events: bool) -> list[bytes]:
    async def arriving() -> AsyncIterator[bytes]:
        for block in blocks:
            yield block

    async def collect() -> list[bytes]:
        return [part async for part in checked_parts(arriving(), of_events=of_events)]

    return asyncio.run(collect())


@given(st.lists(st.text("ab\r\n", max_size=8).map(str.encode), max_size=12), st.booleans())
def test_all_bytes_are_passed_on_in_order(blocks: list[bytes], of_events: bool) -> None:
    assert b"".join(parts_of(blocks, of_events=of_events)) == b"".join(blocks)


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_an_event_is_passed_on_when_it_has_ended(end: bytes) -> None:
    text = b"data: a" + end
    assert parts_of([text, b"data: b"], of_events=True) == [text, b"data: b"]
    split = [text[:8], text[8:], b"data: b"]
    assert text in parts_of(split, of_events=True)


def test_events_are_counted_one_by_one_and_bodies_whole() -> None:
    event = b"data: [" + b"1," * 150_000 + b"1]\n\n"
    assert len(parts_of([event] * 4, of_events=True)) == 5
    with pytest.raises(UnreadableAnswerError, match="more than 200,000 values"):
        parts_of([event] * 4, of_events=False)
