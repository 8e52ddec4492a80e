"""A failed attempt leaves nothing in memory for the garbage collector, which rarely comes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

import pytest
from support.server import Raw, model_server

from lve.errors import ModelError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import RetryPolicy
from lve.execution.stop import StopSignal
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections.connection import Connection
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.response_reader import ResponseReader
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret
from lve.models.openai.apis import openai_wire

QUICK = RetryPolicy(max_attempts=3, base_s=0.0001, cap_s=0.0001)
KEPT = (ModelError, FrameType, TracebackType, ChatRequest, Connection, ResponseReader)
"""What an error holds. (asyncio's own transports are circles, in any program.)"""


@contextmanager
def collected() -> Iterator[list[object]]:
    """Gather what only the garbage collector can free of what the block has left."""
    left: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield left
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        left += [thing for thing in gc.garbage if isinstance(thing, KEPT)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def fail(url: str, *, timeout_s: float = 5.0, caps: BudgetCaps) -> None:
    """Ask a server that fails each attempt, in the ways of a whole run."""
    signal, where = StopSignal(), Endpoint("openai", url, "m", Secret("none"))
    transport = HttpTransport(where, max_connections=2)
    completer = Completer(
        HttpChatModel("openai/m", where, openai_wire("m"), transport),
        stop_signal=signal,
        limits=ModelLimits(stop_signal=signal, clock=lambda: 0.0, max_connections=2),
        budget=Budget(caps, signal),
        policy=QUICK,
    )
    for _ in range(2):
        with pytest.raises(ModelError):
            await completer.complete(ChatRequest((Message("hi"),), timeout_s=timeout_s))
    await completer.close(pytest.fail)


@pytest.mark.parametrize("caps", [BudgetCaps(), BudgetCaps(tokens=100_000)])
@pytest.mark.parametrize(
    ("answer", "timeout_s"),
    [
        (503, 5.0),
        (400, 5.0),
        (Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), 5.0),
        (Raw(b"no HTTP\r\n\r\n"), 5.0),
        (Raw(b"", close=True), 5.0),
        (Raw(b""), 0.05),
    ],
    ids=["overloaded", "refused", "empty", "malformed", "hung up", "late"],
)
def test_failed_attempts_leave_no_circle(
    answer: int | Raw, timeout_s: float, caps: BudgetCaps
) -> None:
    with model_server(answer) as server, collected() as left:
        asyncio.run(fail(server.url, timeout_s=timeout_s, caps=caps))
    assert left == []


def test_a_server_that_is_not_there_leaves_no_circle() -> None:
    with collected() as left:
        asyncio.run(fail("http://127.0.0.1:9", caps=BudgetCaps()))
    assert left == []
