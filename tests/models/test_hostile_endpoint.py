"""Both transports against hostile servers: an error in time, and the next request works."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from support.hostile_server import PLAIN, STREAMED, Behaviour, chat, hostile_server, once, whole

from lve.errors import ModelError
from lve.extensions.openai_client.transport import OpenAIClientTransport
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections import body as body_module
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.transport import Transport
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import Secret
from lve.models.openai.apis import openai_wire

TIMEOUT_S = 0.3
QUIET_TIMEOUT_S = 0.15
"""Time limit for waits without work. A slow server sends some bytes in it."""
QUIET = {"nothing", "a header and silence", "no end"}
LATEST_S = 10.0
"""Generous: without a timeout, these would take minutes or never end."""
TRANSPORTS: Mapping[str, Callable[..., Transport]] = {
    "own": HttpTransport,
    "openai": OpenAIClientTransport,
}
HARMLESS = {"length and chunks", "pieces of a call for ever", "many calls", "done for ever"}
"""Need not be errors: a transport may read these in the one way that is harmless."""


@pytest.fixture(autouse=True)
def _small_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach the caps before the timeout. The largest text of PLAIN is below this one, so that the
    cap of texts refuses it."""
    monkeypatch.setattr(body_module, "MAX_BODY_BYTES", 12 * 1024 * 1024)


CASES = [
    *((name, False, "own") for name in PLAIN),
    *((name, False, "openai") for name in PLAIN),
    *((name, True, "own") for name in {**PLAIN, **STREAMED}),
    *((name, True, "openai") for name in STREAMED),
]
"""The server's behaviour, whether a stream is requested, and the client."""


def model_at(endpoint: Endpoint, client: str, connections: int = 2) -> HttpChatModel:
    transport = TRANSPORTS[client](endpoint, max_connections=connections)
    return HttpChatModel("m", endpoint, openai_wire("m"), transport)


async def attempt(model: HttpChatModel, *, stream: bool, timeout_s: float = LATEST_S) -> Completion:
    message = Message("Say something.")
    return await model.complete(ChatRequest((message,), stream=stream, timeout_s=timeout_s))


@pytest.mark.parametrize(("name", "stream", "client"), CASES)
def test_a_hostile_answer_is_an_error_in_time_and_the_next_request_works(
    name: str, stream: bool, client: str
) -> None:
    behaviour = {**PLAIN, **STREAMED}[name]
    timeout_s = QUIET_TIMEOUT_S if name in QUIET or "slowly" in name else TIMEOUT_S
    with hostile_server(behaviour) as server:

        async def both() -> None:
            endpoint = Endpoint("openai", server.url, "m", Secret("a-key-of-mine"))
            model = model_at(endpoint, client)
            try:
                started = time.monotonic()
                error = await failure(model, stream=stream, timeout_s=timeout_s)
                assert time.monotonic() - started < LATEST_S
                assert error is not None or name in HARMLESS
                assert error is None or is_one_short_line(str(error))
                server.behave(None)
                assert (await attempt(model, stream=stream)).text == "good"
            finally:
                await model.aclose()

        asyncio.run(both())


async def failure(
    model: HttpChatModel, *, stream: bool, timeout_s: float = TIMEOUT_S
) -> ModelError | None:
    try:
        await attempt(model, stream=stream, timeout_s=timeout_s)
    except ModelError as error:
        return error
    return None


def is_one_short_line(text: str) -> bool:
    return text.isprintable() and len(text) < 600


def use(behaviour: Behaviour, client: str) -> Completion:
    with hostile_server(behaviour) as server:

        async def run() -> Completion:
            endpoint = Endpoint("openai", server.url, "m", Secret("none"))
            model = model_at(endpoint, client)
            try:
                return await attempt(model, stream=False)
            finally:
                await model.aclose()

        return asyncio.run(run())


@pytest.mark.parametrize("client", TRANSPORTS)
def test_what_is_only_reported_is_cut(client: str) -> None:
    body = chat("x", model="m" * 1_000_000, usage={"prompt_tokens": 10**300})
    completion = use(once(whole(body)), client)
    assert (completion.text, completion.usage) == ("x", None)
    assert completion.model is not None
    assert len(completion.model) < 300


MANY = 64
LONGEST_TURN_S = 1.2
"""Seconds of CPU: it takes 0.2 to 0.8 on a slow machine; without a deadline, 1.5 to 10."""


@pytest.mark.parametrize("client", TRANSPORTS)
@pytest.mark.parametrize(
    "name", ["a gzip bomb", "chunks of one byte for ever", "a line for ever, byte by byte"]
)
def test_many_hostile_answers_at_once_leave_the_loop_its_turns(name: str, client: str) -> None:
    with hostile_server({**PLAIN, **STREAMED}[name]) as server:

        async def run() -> tuple[list[ModelError | None], float]:
            endpoint = Endpoint("openai", server.url, "m", Secret("none"))
            model = model_at(endpoint, client, MANY)
            turns: list[float] = []
            watch = asyncio.ensure_future(longest_turns(turns))
            one = partial(failure, model, stream=name in STREAMED)
            try:
                return list(await asyncio.gather(*(one() for _ in range(MANY)))), max(turns)
            finally:
                watch.cancel()
                await model.aclose()

        errors, longest_s = asyncio.run(run())
    assert all(errors)
    assert longest_s < LONGEST_TURN_S


async def longest_turns(turns: list[float]) -> None:
    """Note how many seconds of this thread's CPU lie between two turns."""
    await asyncio.sleep(0)
    while True:
        began = time.thread_time()
        await asyncio.sleep(0)
        turns[:] = [max([*turns, time.thread_time() - began])]
