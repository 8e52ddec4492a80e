"""The HTTP proxies that the environment names, and connections through them.

Requests to `http` servers name the whole URL; to `https` servers, a CONNECT request opens a tunnel,
in which the proxy sees nothing. The variables and `NO_PROXY` are read as `requests` and `httpx` do.
"""

from __future__ import annotations

import asyncio
import os
import re
from base64 import b64encode
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lve.data_classes import dataclass
from lve.errors import ModelError, PermanentModelError, SettingsError, TransientModelError
from lve.models.error_kinds import UNREACHABLE
from lve.models.http.connections.response_reader import MAX_HEAD_BYTES
from lve.models.http.connections.transport import PROXY_VARIABLES, HttpResponse
from lve.models.http.failures import classify, error_object, malformed, printable
from lve.models.http.keys import Secret

if TYPE_CHECKING:
    import ssl

    from lve.models.http.connections.connection import Connection

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])([^\r\n]*)")
_SCHEME = re.compile(r"(?im)^proxy-authenticate:[ \t]*([A-Za-z-]+)")
_PROXYS_OWN = (403, 502, 503, 504)
"""Statuses that a proxy also answers itself, in a page that isn't JSON."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy."""

    host: str
    port: int
    is_tls: bool
    """Whether the connection to the proxy itself is encrypted (`https://`)."""
    password: Secret | None
    login: Secret | None
    """User and password, as `Proxy-Authorization` has them."""

    @property
    def name(self) -> str:
        """Host and port, for messages."""
        return authority(self.host, self.port)

    @property
    def header(self) -> str:
        """The line of a request's head with user and password, "" without. Must never be stored."""
        return "" if self.login is None else f"Proxy-Authorization: Basic {self.login.reveal()}\r\n"

    def hide(self, text: str) -> str:
        """Return `text` without user and password."""
        for secret in (self.password, self.login):
            text = text if secret is None else secret.hide(text)
        return text


def authority(host: str, port: int) -> str:
    """Return `HOST:PORT`, or `[HOST]:PORT` for an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def proxy_url(url: str) -> str | None:
    """Return the proxy that the environment sets for a server's URL; None if there is none."""
    if not proxy_variables():
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies_environment()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy is None or proxy_bypass(parts.netloc):
        return None
    excluded = proxies.get("no", "")
    return None if _is_in_network(parts.hostname or "", excluded) else proxy


def proxy_to(url: str) -> Proxy | None:
    """Return the proxy to a server; None if there is none.

    Raises:
        SettingsError: the environment's proxy isn't an HTTP proxy.
    """
    written = proxy_url(url)
    if written is None:
        return None
    try:
        parts = urlsplit(written if "://" in written else f"http://{written}")
        host, port = parts.hostname, parts.port
        if parts.scheme.startswith("socks"):
            raise unusable(
                "lve itself uses HTTP proxies; for a SOCKS proxy, add `options: {client: openai}` "
                "to the model's settings, and pip install 'httpx[socks]'"
            )
        if parts.scheme not in ("http", "https") or not host or port == 0:
            raise ValueError
        host.encode("idna")  # looking up another name raises a UnicodeError, a ValueError
    except ValueError:
        raise unusable("a proxy's URL is written http://HOST:PORT or https://HOST:PORT") from None
    password, login = None, None
    if parts.username is not None:
        user, word = unquote(parts.username), unquote(parts.password or "")
        password = Secret(word)
        login = Secret(b64encode(f"{user}:{word}".encode()).decode())
    is_tls = parts.scheme == "https"
    return Proxy(host, port or (443 if is_tls else 80), is_tls, password, login)


def proxy_variables() -> list[str]:
    """Return the names of the environment variables that name proxies, sorted."""
    names = (name for name, value in os.environ.items() if value)
    return sorted(name for name in names if name.lower() in PROXY_VARIABLES)


def unusable(what: str) -> SettingsError:
    """Return the error for a proxy that can't be used, without its URL, which may hold a
    password."""
    return SettingsError(
        f"the environment's proxy can't be used ({', '.join(proxy_variables())}): {what}",
        code="proxy",
    )


def _is_in_network(host: str, excluded: str) -> bool:
    """Return whether a host is an IP address in one of the networks of `NO_PROXY`
    (`10.0.0.0/8,::1`)."""
    from ipaddress import ip_address, ip_network

    with suppress(ValueError):
        address = ip_address(host)
        for entry in excluded.split(","):
            with suppress(ValueError):
                if address in ip_network(entry.strip().strip("[]"), strict=False):
                    return True
    return False


async def open_tunnel(
    loop: asyncio.AbstractEventLoop,
    proxy: Proxy,
    connection: Connection,
    server: tuple[str, int],
    where: str,
    context: ssl.SSLContext,
) -> None:
    """Connect `connection` to an `https` server through a proxy.

    Args:
        loop: the running loop.
        proxy: the proxy.
        connection: the protocol of the connection to the server.
        server: the server's host and port.
        where: the server's address, for error messages.
        context: encrypts the connections to the server, and to the proxy if it has TLS.

    Raises:
        ModelError: the proxy refuses.
        OSError: a connection failed.
    """
    target = authority(*server)
    answer = _ConnectAnswer(loop.create_future())
    raw, _ = await loop.create_connection(
        lambda: answer, proxy.host, proxy.port, ssl=context if proxy.is_tls else None
    )
    try:
        raw.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{proxy.header}\r\n".encode())
        head = await answer.head
        status = _STATUS.match(head)
        if status is None:
            raise malformed(f"the proxy {proxy.name} doesn't speak HTTP")
        if not status[1].startswith(b"2"):
            reason = status[2].decode("latin-1")
            scheme = _SCHEME.search(head.decode("latin-1"))
            raise _refusal(where, proxy, int(status[1]), reason, scheme[1] if scheme else "Basic")
        transport = await loop.start_tls(raw, connection, context, server_hostname=server[0])
        if transport is None:  # asyncio's answer if the connection was lost meanwhile
            raise ConnectionResetError("the proxy hung up")
    except BaseException:
        raw.abort()
        raise
    connection.connection_made(transport)


class _ConnectAnswer(asyncio.Protocol):
    """Reads the head of a proxy's answer to CONNECT."""

    def __init__(self, head: asyncio.Future[bytes]) -> None:
        self.head = head
        self._data = bytearray()

    def data_received(self, data: bytes) -> None:
        """Read on. Nothing may follow the head: in TLS, the client begins."""
        self._data += data
        end = self._data.find(b"\r\n\r\n")
        if self.head.done() or (end < 0 and len(self._data) <= MAX_HEAD_BYTES):
            return
        if end < 0:
            self.head.set_exception(malformed(f"more than {MAX_HEAD_BYTES} bytes of headers"))
        else:
            self.head.set_result(bytes(self._data[:end]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail if there is no answer yet."""
        if not self.head.done():
            self.head.set_exception(exc or ConnectionResetError("the proxy hung up"))


def check_answer(response: HttpResponse, proxy: Proxy, where: str, secret: Secret) -> None:
    """Raise the error of a response that the proxy, not the `http` server, has given.

    Args:
        response: a response that came through the proxy.
        proxy: the proxy.
        where: the server's address.
        secret: the key in use, removed from messages.
    """
    status, headers = response.status, response.headers
    if status == 407:
        scheme = headers.get("proxy-authenticate", "Basic").partition(" ")[0]
        raise _refusal(where, proxy, status, "", scheme)
    if status in _PROXYS_OWN and not error_object(response.body):
        failure = classify(status, headers, response.body, secret=secret)
        failure.args = (f"{proxy.hide(str(failure))} (through the proxy {proxy.name})",)
        raise failure


def _refusal(where: str, proxy: Proxy, status: int, reason: str, scheme: str) -> ModelError:
    """Return the error for a proxy that refuses to connect to a server.

    Args:
        where: the server's address and the proxy.
        proxy: the proxy.
        status: the status of its answer.
        reason: what it says.
        scheme: how a user can log in, if the status is 407.
    """
    reason = printable(proxy.hide(reason)) or "no reason given"
    kind, why = "protocol", f"this is no proxy for CONNECT ({reason})"
    if status == 407:
        kind, why = "authentication", _login_wanted(proxy, scheme)
    elif status == 403:
        kind, why = "permission", f"the proxy refuses this server ({reason})"
    elif status >= 500 or status in (408, 429):
        kind = UNREACHABLE if status in (502, 504) else "overloaded"
        why = f"the proxy can't reach this server ({reason})"
        message = f"{where}: {status}: {why}"
        return TransientModelError(message, kind=kind, status=status, was_sent=False)
    return PermanentModelError(
        f"{where}: {status}: {why}", kind=kind, status=status, was_sent=False
    )


def _login_wanted(proxy: Proxy, scheme: str) -> str:
    if scheme.lower() != "basic":
        return (
            f"the proxy wants a login by {printable(scheme)}, and lve sends a user and a password "
            "(Basic): a local proxy such as px or cntlm can log in"
        )
    variables = " or ".join(proxy_variables())
    if proxy.login is None:
        return f"the proxy wants a login: set {variables} to http://USER:PASSWORD@{proxy.name}"
    return f"the proxy doesn't accept the user and password in {variables}"
