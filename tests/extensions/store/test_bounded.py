"""Waits for a server that hangs or is hostile."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from lve.extensions.store import bounded
from lve.extensions.store import server as server_module
from lve.extensions.store.driver import describe_error, is_transient
from lve.extensions.store.server import StoreServer

psycopg = pytest.importorskip("psycopg")

GREETING = b"R\0\0\0\x08\0\0\0\0" + b"Z\0\0\0\x05I"
"""PostgreSQL's messages AuthenticationOk and ReadyForQuery."""


@contextmanager
def serving(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Serve connections as a function does; yield the URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    one, _ = listening.accept()
                    with one, suppress(OSError):
                        one.recv(10_000)
                        answer(one)

        threading.Thread(target=serve, daemon=True).start()
        port = listening.getsockname()[1]
        yield f"postgresql://me@127.0.0.1:{port}/x?sslmode=disable&gssencmode=disable"


def hang(one: socket.socket) -> None:
    while one.recv(10_000):
        pass


def greet_and_hang(one: socket.socket) -> None:
    one.sendall(GREETING)
    hang(one)


def greet_with_a_notice(one: socket.socket) -> None:
    said = b"SNOTICE\0C00000\0M\x1b[31mowned\0\0"
    notice = b"N" + (len(said) + 4).to_bytes(4, "big") + said
    one.sendall(notice + GREETING + notice)
    hang(one)


def send_rows_without_an_end(one: socket.socket) -> None:
    one.sendall(GREETING)
    one.recv(10_000)
    one.sendall(
        b"1\0\0\0\x04" + b"T\0\0\0\x1a\0\x01x\0" + b"\0" * 6 + b"\0\0\0\x11" + b"\xff" * 6 + b"\0\0"
    )
    while True:
        one.sendall((b"D\0\0\x03\xee\0\x01\0\0\x03\xe4" + b"x" * 996) * 100)


def send_garbage(one: socket.socket) -> None:
    one.sendall(b"\x1b[31mHTTP/1.1 400\r\n\r\n" * 1000)


def send_a_long_error(one: socket.socket) -> None:
    said = b"SFATAL\0C\x1b[31m\0M" + b"\x1b]0;owned\x07" * 2000 + b"\0\0"
    one.sendall(b"E" + (len(said) + 4).to_bytes(4, "big") + said)


@pytest.mark.parametrize(
    "answer",
    [
        hang,
        greet_and_hang,
        greet_with_a_notice,
        send_garbage,
        send_a_long_error,
    ],
)
def test_a_hostile_server_is_left_in_time_and_not_repeated(
    answer: Callable[[socket.socket], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(server_module, "CONNECT_S", 2)
    monkeypatch.setattr(bounded, "WAIT_S", 1.0)
    with serving(answer) as url:
        with pytest.raises(psycopg.Error) as caught:
            StoreServer(url).connected()
        assert is_transient(caught.value)
        said = describe_error(caught.value)
    assert len(said) < 200
    assert "\x1b" not in said
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody counts")
def test_rows_without_an_end_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "WAIT_S", 1000.0)
    monkeypatch.setattr(bounded, "MAX_ANSWER_BYTES", 1_000_000)
    with serving(send_rows_without_an_end) as url:
        with pytest.raises(psycopg.DataError) as caught:
            StoreServer(url).connected()
        assert not is_transient(caught.value)


def test_who_gives_up_doesn_t_wait_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "WAIT_S", 1000.0)
    caught: list[Exception] = []
    greeted = threading.Event()

    def greet(one: socket.socket) -> None:
        one.sendall(GREETING)
        greeted.set()
        hang(one)

    with serving(greet) as url:
        store = StoreServer(url)

        def use() -> None:
            try:
                store.connected()
            except psycopg.Error as error:
                caught.append(error)

        thread = threading.Thread(target=use, daemon=True)
        thread.start()
        assert greeted.wait(60)
        began = time.monotonic()
        store.give_up()
        thread.join(60)
        assert time.monotonic() - began < 30
        assert str(caught[0]) == bounded.GIVEN_UP
        with pytest.raises(psycopg.OperationalError, match=bounded.GIVEN_UP):
            store.connected()
