"""How long the thread of a store tries, with a store in this process in place of a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from lve.errors import LveError, SessionError
from lve.execution.stop import StopSignal
from lve.extensions.store import store_thread
from lve.extensions.store.postgres import StoreReply, StoreRequest
from lve.extensions.store.store_thread import StoreThread

psycopg = pytest.importorskip("psycopg")
PATIENT_S = 60.0
"""No test waits so long."""


class Store:
    """Answers as a test says, then well; is its own server, too."""

    place = "db.example"

    def __init__(self, errors: Sequence[Exception], *, lease_s: float = 600.0) -> None:
        self.server = self
        self.errors = list(errors)
        self.lease_s = lease_s
        self.did: list[Any] = []
        self.renewals = threading.Semaphore(0)

    def send(self, request: StoreRequest) -> StoreReply:
        self.did.append(request)
        if self.errors:
            raise self.errors.pop(0)
        return StoreReply(set(), {})

    def renew(self) -> None:
        self.did.append("renew")
        self.renewals.release()

    def disconnect(self) -> None:
        self.did.append("disconnect")

    def give_up(self) -> None:
        self.did.append("give up")

    def refusal(self, error: Exception, doing: str) -> LveError:
        return SessionError(f"{type(error).__name__}: {doing}")


@contextmanager
def thread_of(
    store: Any, *, away_s: float = PATIENT_S, signal: StopSignal | None = None
) -> Iterator[tuple[StoreThread, list[str]]]:
    """Run the thread as long as the block lasts; give what it warns of, too."""
    warnings: list[str] = []
    signal = signal or StopSignal()
    thread = StoreThread(store, warnings.append, stop_signal=signal, away_s=away_s)
    yield thread, warnings
    asyncio.run(thread.aclose(StoreRequest()))
    assert not thread._thread.is_alive()


def sent(thread: StoreThread, *, released: int = 0) -> StoreReply | LveError:
    """Send a request and return what comes of it."""
    replies: list[StoreReply | LveError] = []
    is_there = threading.Event()

    def done(reply: StoreReply | LveError) -> None:
        replies.append(reply)
        is_there.set()

    thread.do(StoreRequest(released=[bytes([released])]), done)
    assert is_there.wait(PATIENT_S)
    return replies[0]


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_thread, "AGAIN_S", 0.001)


def gone() -> Exception:
    """Return what psycopg raises for a connection that is gone."""
    error: Exception = psycopg.OperationalError("server closed the connection unexpectedly")
    return error


def test_a_server_that_goes_away_is_tried_again_with_one_warning() -> None:
    store = Store([gone(), gone(), gone()])
    with thread_of(store) as (thread, warnings):
        assert isinstance(sent(thread), StoreReply)
        assert thread.failure is None
    assert len(warnings) == 1
    assert "the store db.example doesn't answer" in warnings[0]
    assert "waiting for up to 60 s" in warnings[0]
    requests = [one for one in store.did if isinstance(one, StoreRequest)]
    assert requests == [requests[0]] * 4
    assert store.did[:6:2] == requests[:3]
    assert store.did.count("disconnect") == 4, "after each error, and at the end"


def test_what_another_try_can_not_mend_is_not_tried_again() -> None:
    store = Store([psycopg.errors.UndefinedTable("no such table")])
    with thread_of(store) as (thread, warnings):
        refused = sent(thread)
        assert isinstance(refused, SessionError)
        assert str(refused).startswith("UndefinedTable: When that is mended, go on with")
        assert sent(thread) is refused, "nothing more is sent"
    assert len([one for one in store.did if isinstance(one, StoreRequest)]) == 1
    assert warnings == []


def test_an_error_of_lves_own_is_told_as_it_is() -> None:
    own = SessionError("another version of lve made the tables")
    with thread_of(Store([own])) as (thread, warnings):
        assert sent(thread) is own
        assert sent(thread) is own
    assert warnings == []


@pytest.mark.parametrize("ends_by", ["time", "stop", "closing"])
def test_patience_has_an_end(ends_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    signal = StopSignal()
    if ends_by == "stop":
        signal.set("interrupted")
    away_s = -1.0 if ends_by == "time" else PATIENT_S
    monkeypatch.setattr(store_thread, "CLOSING_S", PATIENT_S if ends_by == "time" else -1.0)
    with thread_of(Store([gone()] * 2), away_s=away_s, signal=signal) as (thread, _):
        if ends_by == "closing":
            thread._closing.set()
        assert isinstance(sent(thread), SessionError)
        thread.closing_s = PATIENT_S


def test_claims_are_renewed_while_nothing_is_asked() -> None:
    store = Store([], lease_s=0.03)
    with thread_of(store):
        for _ in range(3):
            assert store.renewals.acquire(timeout=PATIENT_S)


def test_claims_are_renewed_before_they_end() -> None:
    store = Store([], lease_s=1.5)
    with thread_of(store):
        assert store.renewals.acquire(timeout=store.lease_s)


def test_claims_are_not_renewed_before_it_is_time() -> None:
    store = Store([])
    with thread_of(store) as (thread, _):
        assert all(isinstance(sent(thread, released=n), StoreReply) for n in range(5))
    assert "renew" not in store.did
    assert [one.released for one in store.did[:5]] == [[bytes([n])] for n in range(5)]


@pytest.mark.parametrize("released", [[], [b"1"]])
def test_the_end_sends_what_is_left(released: list[bytes]) -> None:
    store = Store([])
    thread: Any = StoreThread(store, pytest.fail, stop_signal=StopSignal(), away_s=1)  # type: ignore[arg-type]
    asyncio.run(thread.aclose(StoreRequest(released=released)))
    requests = [one.released for one in store.did if isinstance(one, StoreRequest)]
    assert requests == ([released] if released else [])
    assert store.did[-2:] == ["disconnect", "give up"]
