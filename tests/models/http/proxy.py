"""A small HTTP proxy on loopback: tunnels for CONNECT, and requests with a whole URL.

with proxy_server(login="me:word") as proxy:
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:word@127.0.0.1:{proxy.port}")
    ...
    assert proxy.targets == ["localhost:443"]
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class ProxyServer:
    """A running proxy."""

    def __init__(self, login: str | None, says: bytes | None, *, hangs: bool) -> None:
        self.port = 0
        self.targets: list[str] = []
        """What each request named: `HOST:PORT` of a tunnel, or a URL."""
        self.heads: list[str] = []
        self._login = None if login is None else b64encode(login.encode()).decode()
        self._says = says
        self._hangs = hangs
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.writers.append(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            while await self._request(reader, writer):
                pass
        writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection stays as it was."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.heads.append(head)
        method, target, _ = head.partition("\r\n")[0].split(" ")
        self.targets.append(target)
        body = await reader.readexactly(_length(head))
        if self._hangs:
            await asyncio.sleep(60)
        if self._login is not None and f"Proxy-Authorization: Basic {self._login}\r\n" not in head:
            writer.write(refusal("407 Proxy Authentication Required", 'Basic realm="x"'))
            return True
        if self._says is not None:
            writer.write(self._says)
            return self._says != b""
        if method == "CONNECT":
            await self._tunnel(target, reader, writer)
            return False
        await self._forward(target, head, body, writer)
        return True

    async def _tunnel(
        self, target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        host, _, port = target.rpartition(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            writer.write(refusal("502 Bad Gateway"))
            return
        self.writers.append(far_writer)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))

    async def _forward(
        self, target: str, head: str, body: bytes, writer: asyncio.StreamWriter
    ) -> None:
        parts = urlsplit(target)
        try:
            far_reader, far_writer = await asyncio.open_connection(parts.hostname, parts.port)
        except OSError:
            writer.write(refusal("502 Bad Gateway"))
            return
        lines = head.rstrip("\r\n").split("\r\n")[1:]
        kept = [line for line in lines if not line.lower().startswith("proxy-")]
        method = head.partition(" ")[0]
        query = f"?{parts.query}" if parts.query else ""
        far_head = "\r\n".join([f"{method} {parts.path}{query} HTTP/1.1", *kept, "", ""])
        far_writer.write(far_head.encode("latin-1") + body)
        answer = await far_reader.readuntil(b"\r\n\r\n")
        content = await far_reader.readexactly(_length(answer.decode("latin-1")))
        writer.write(answer + content)
        far_writer.close()


def refusal(status: str, scheme: str | None = None, body: str = "<html>no</html>") -> bytes:
    """Return an answer of a proxy that refuses."""
    challenge = f"Proxy-Authenticate: {scheme}\r\n" if scheme else ""
    return f"HTTP/1.1 {status}\r\n{challenge}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def _length(head: str) -> int:
    lengths = [line for line in head.lower().split("\r\n") if line.startswith("content-length:")]
    return int(lengths[0].partition(":")[2]) if lengths else 0


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextmanager
def proxy_server(
    *,
    login: str | None = None,
    says: bytes | None = None,
    hangs: bool = False,
    tls: ssl.SSLContext | None = None,
) -> Iterator[ProxyServer]:
    """Run a proxy in a thread of its own until the block ends.

    Args:
        login: `USER:PASSWORD`, without which it refuses.
        says: its answer to every request, instead of connecting.
        hangs: whether it never answers.
        tls: encrypts the connections to the proxy.
    """
    proxy = ProxyServer(login, says, hangs=hangs)
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=tls))
    proxy.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, name="proxy", daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_close(server, proxy), loop).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()


async def _close(server: asyncio.Server, proxy: ProxyServer) -> None:
    server.close()
    for writer in proxy.writers:
        writer.transport.abort()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
