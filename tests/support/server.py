"""An OpenAI-compatible server on loopback, for tests.

    with model_server("4") as server:                 # a text, a list, a mapping or a function
        create_model("openai/test", Settings(), base_url=server.url)
        ...
        assert server.requests[0].json["temperature"] == 0.0

`answer` may be a text for all requests, a list (one after the other, the last one repeated), a
mapping (last user message -> answer) or a function of `Received`; what it gives is an `Answer`:
a text, `Reply`, `Raw` bytes, a whole JSON body, or the status of an error. Without it the server
adds (`Compute 2 + 3`) or echoes. Everything else is a field of `Behaviour`; `faults` may be any
iterable of the kinds in `openai_state.FAULTS`, None for none.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from support.openai_answers import Answer, AnswerFunction, Raw, Received, Reply, sum_or_echo
from support.openai_protocol import Connection, http
from support.openai_state import Behaviour, State

__all__ = ["Answer", "ModelServer", "Raw", "Received", "Reply", "http", "model_server"]

PATIENCE_S = 120.0
"""For what comes at once on an idle machine: only what never comes takes so long."""
QUIET_TURNS = 10
"""Of the loop: a connection that was accepted just before the end is made a few turns later."""
Answers = Answer | Sequence[Answer] | AnswerFunction


class ModelServer:
    """A running server."""

    def __init__(
        self, state: State, port: int, loop: asyncio.AbstractEventLoop, *, scheme: str = "http"
    ) -> None:
        self.state = state
        self.port = port
        self.scheme = scheme
        self._loop = loop

    @property
    def url(self) -> str:
        """The base URL, ending in `/v1`."""
        host = "127.0.0.1" if self.scheme == "http" else "localhost"
        return f"{self.scheme}://{host}:{self.port}/v1"

    @property
    def requests(self) -> list[Received]:
        """Every completion request so far, in the order of arrival."""
        return self.state.requests

    @property
    def behaviour(self) -> Behaviour:
        """What it does; may be changed between requests."""
        return self.state.behaviour

    def wait_for(self, count: int) -> None:
        """Wait until so many requests have come."""
        ends = time.monotonic() + PATIENCE_S
        while len(self.requests) < count:
            assert time.monotonic() < ends, f"{len(self.requests)} of {count} requests have come"
            time.sleep(0.005)

    def release(self) -> None:
        """Let the answers go that `hold_until` holds back, and hold no more."""
        self._loop.call_soon_threadsafe(self.state.release)

    def stats(self) -> dict[str, Any]:
        """Return what `GET /stats` returns."""
        return self.state.stats()


@contextmanager
def model_server(
    answer: Answers | Mapping[str, Answer] | None = None,
    *,
    faults: Iterable[str | None] | None = None,
    tls: ssl.SSLContext | None = None,
    **behaviour: Any,
) -> Iterator[ModelServer]:
    """Run a server in a thread of its own until the block ends."""
    state = State(Behaviour(answer=answer_function(answer), **behaviour))
    state.behaviour.faults = None if faults is None else iter(faults)
    loop = asyncio.new_event_loop()
    listener = loop.run_until_complete(
        loop.create_server(lambda: Connection(state, loop), "127.0.0.1", 0, ssl=tls, backlog=1024)
    )
    port = listener.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, name="model-server", daemon=True)
    thread.start()
    try:
        yield ModelServer(state, port, loop, scheme="https" if tls else "http")
    finally:
        asyncio.run_coroutine_threadsafe(_close(listener, state), loop).result(timeout=10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()


async def _close(listener: asyncio.Server, state: State) -> None:
    listener.close()
    quiet = 0
    while quiet < QUIET_TURNS:
        quiet = 0 if state.connections else quiet + 1
        for connection in list(state.connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)  # abort takes effect within a turn or two


def answer_function(answer: Answers | Mapping[str, Answer] | None) -> AnswerFunction:
    """Turn any form of answers into a function of the request."""
    if answer is None:
        return sum_or_echo
    if callable(answer):
        return answer
    if isinstance(answer, list):
        left = list(answer)
        return lambda _: left.pop(0) if len(left) > 1 else left[0]
    if isinstance(answer, Mapping) and "choices" not in answer and "error" not in answer:
        by_prompt = dict(answer)
        return lambda request: by_prompt[request.prompt]
    return lambda _: answer
