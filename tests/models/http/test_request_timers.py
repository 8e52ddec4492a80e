"""Timeouts of requests: one timer serves many requests of a connection, and each ends in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lve.errors import TransientModelError
from lve.models.http.connections.connection import Connection
from lve.models.http.connections.transport import BufferLimit

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Timer:
    """What `call_at` returns."""

    def __init__(self, at: float, callback: Callable[[], None]) -> None:
        self.at = at
        self.callback = callback
        self.is_waiting = True

    def cancel(self) -> None:
        self.is_waiting = False


class Clock:
    """A loop whose time the test sets, with a wire that takes all that is written."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []
        self._loop = asyncio.new_event_loop()
        self.create_future = self._loop.create_future
        self.close = self._loop.close

    def time(self) -> float:
        return self.now

    def call_at(self, at: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(at, callback))
        return self.timers[-1]

    def go_to(self, now: float) -> None:
        """Let time pass, with all that happens until then."""
        while due := [timer for timer in self.waiting() if timer.at <= now]:
            self.now = due[0].at
            due[0].cancel()
            due[0].callback()
        self.now = now

    def waiting(self) -> list[Timer]:
        return sorted((t for t in self.timers if t.is_waiting), key=lambda timer: timer.at)


class Wire:
    """A transport."""

    def write(self, data: bytes) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        pass


@pytest.fixture
def clock() -> Iterator[Clock]:
    clock = Clock()
    yield clock
    clock.close()


@pytest.fixture
def connection(clock: Clock) -> Connection:
    loop: Any = clock
    wire: Any = Wire()
    connection = Connection("http://server", loop, BufferLimit())
    connection.connection_made(wire)
    return connection


def answer(connection: Connection) -> None:
    connection.get_buffer(-1)[: len(ANSWER)] = ANSWER
    connection.buffer_updated(len(ANSWER))


def is_late(sent: asyncio.Future[Any]) -> bool:
    error = sent.exception() if sent.done() else None
    return isinstance(error, TransientModelError) and error.kind == "timeout"


def test_one_timer_serves_many_requests(clock: Clock, connection: Connection) -> None:
    for second in range(9):
        clock.go_to(second)
        sent = connection.send(b"...", 10.0, None, begun_at=clock.now)
        answer(connection)
        assert sent.result().body == b"ok"
    assert len(clock.timers) == 1


def test_a_request_ends_in_time_after_others(clock: Clock, connection: Connection) -> None:
    connection.send(b"...", 10.0, None, begun_at=clock.now)
    answer(connection)
    clock.go_to(4)
    sent = connection.send(b"...", 10.0, None, begun_at=clock.now)
    clock.go_to(13.9)  # the timer of the first one has rung
    assert not sent.done()
    clock.go_to(14)
    assert is_late(sent)


def test_a_request_with_less_time_ends_earlier(clock: Clock, connection: Connection) -> None:
    connection.send(b"...", 10.0, None, begun_at=clock.now)
    answer(connection)
    clock.go_to(1)
    sent = connection.send(b"...", 5.0, None, begun_at=clock.now - 3)
    clock.go_to(2.9)
    assert not sent.done()
    clock.go_to(3)
    assert is_late(sent)


def test_an_idle_connection_needs_no_timer(clock: Clock, connection: Connection) -> None:
    connection.send(b"...", 10.0, None, begun_at=clock.now)
    answer(connection)
    clock.go_to(20)
    assert not clock.waiting()
    sent = connection.send(b"...", 10.0, None, begun_at=clock.now)
    clock.go_to(30)
    assert is_late(sent)


def test_a_closed_connection_leaves_no_timer(clock: Clock, connection: Connection) -> None:
    connection.send(b"...", 10.0, None, begun_at=clock.now)
    answer(connection)
    connection.close()
    assert not clock.waiting()
