"""Requests of a target through a proxy: what it is told."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from models.http.proxy import proxy_server
from support.server import model_server

from lve.extensions.targets.http.transport import HttpRequest, Transports

TLS = Path(__file__).parents[3] / "cases" / "tls"


@pytest.mark.parametrize("is_secret", [False, True])
def test_a_proxy_relays_http_and_is_a_tunnel_for_https(
    is_secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "localhost.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if is_secret else None
    if tls is not None:
        tls.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")

    async def run(url: str) -> int:
        transports = Transports("t", 1)
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "1"}]}).encode()
        headers = {"Content-Type": "application/json"}
        request = HttpRequest("POST", f"{url}/chat/completions?a=b", headers, body)
        response = await transports.send(request, timeout_s=20)
        await transports.aclose()
        return response.status

    with model_server(tls=tls) as server, proxy_server(login="me:word") as proxy:
        variable = "HTTPS_PROXY" if is_secret else "http_proxy"
        monkeypatch.setenv(variable, f"http://me:word@127.0.0.1:{proxy.port}")
        assert asyncio.run(run(server.url)) == 200
        host = urlsplit(server.url).netloc
        whole = f"{server.url}/chat/completions?a=b"
        assert proxy.targets == [host if is_secret else whole]
        [head] = proxy.heads
    assert ("Proxy-Authorization: Basic" in head) is True
    assert "Proxy-Authorization" not in str(server.requests[0].headers)
