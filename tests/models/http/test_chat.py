"""The chat model at an HTTP API: what it keeps of an answer, and when it stops waiting."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from support.hostile_server import chunk, head, whole
from support.server import ModelServer, Raw, model_server

from lve.errors import ModelError, TransientModelError
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

TEXT = b'data: {"choices": [{"delta": {"content": "Paris"}}]}\n\n'
END = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
HEAD = head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
LAST = b"0\r\n\r\n"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-this-test")


def ask(
    server: ModelServer, count: int = 1, *, timeout_s: float = 20.0, stream: bool = True
) -> list[Completion | ModelError]:
    """Ask a server some times, one after the other."""

    async def run() -> list[Completion | ModelError]:
        model = create_model("openai/m", Settings(), base_url=server.url)
        answers: list[Completion | ModelError] = []
        try:
            for _ in range(count):
                try:
                    request = ChatRequest((Message("hi"),), stream=stream, timeout_s=timeout_s)
                    answers.append(await model.complete(request))
                except ModelError as error:
                    answers.append(error)
        finally:
            await model.aclose()
        return answers

    return asyncio.run(run())


def serving(*pieces: bytes, close: bool = False) -> Any:
    data = HEAD + b"".join(map(chunk, pieces))
    return model_server(serve=lambda _: Raw(data, close=close))


@pytest.mark.parametrize("close", [True, False], ids=["hung up", "open"])
@pytest.mark.parametrize("rest", [(), (DONE,)], ids=["no [DONE]", "[DONE]"])
def test_a_whole_answer_is_kept_whatever_the_connection_does(
    close: bool, rest: tuple[bytes, ...]
) -> None:
    started = time.monotonic()
    with serving(TEXT, END, *rest, close=close) as server:
        (answer,) = ask(server)
    assert isinstance(answer, Completion), answer
    assert (answer.text, answer.finish_reason) == ("Paris", "stop")
    assert time.monotonic() - started < 10


def test_waiting_for_more_of_a_whole_answer_takes_no_longer_than_an_attempt_may() -> None:
    started = time.monotonic()
    with serving(TEXT, END) as server:
        (answer,) = ask(server, timeout_s=0.3)
    assert isinstance(answer, Completion), answer
    assert time.monotonic() - started < 1.5, "not the two seconds of patience"


@pytest.mark.parametrize("close", [True, False], ids=["hung up", "open"])
def test_half_an_answer_is_none(close: bool) -> None:
    with serving(TEXT, close=close) as server:
        (answer,) = ask(server, timeout_s=0.5)
    assert isinstance(answer, TransientModelError)
    assert answer.kind == ("connection" if close else "timeout")


@pytest.mark.parametrize("pieces", [(TEXT, END, b"data: {x\n\n"), (TEXT + END + b"data: {x\n\n",)])
def test_what_can_not_be_read_behind_the_answer_does_not_matter(pieces: tuple[bytes, ...]) -> None:
    with serving(*pieces) as server:
        (answer,) = ask(server)
    assert isinstance(answer, Completion), answer
    assert answer.text == "Paris"


@pytest.mark.parametrize("end", [(END,), (END, DONE)])
def test_an_error_behind_the_finish_reason_is_one_unless_the_stream_has_ended(
    end: tuple[bytes, ...],
) -> None:
    with serving(TEXT, *end, b'data: {"error": {"message": "boom", "code": 503}}\n\n') as server:
        (answer,) = ask(server)
    assert isinstance(answer, Completion) == (DONE in end), answer


def ports(pieces: list[bytes], count: int) -> int:
    """Return how many connections `count` requests take."""
    peers: set[Any] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peers.add(writer.get_extra_info("peername"))
        while line := await reader.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            if line == b"\r\n":
                await reader.readexactly(length)
                for part in pieces:
                    writer.write(part)
                    await asyncio.sleep(0.02)  # a packet of its own
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = create_model("openai/m", Settings(), base_url=url)
        for _ in range(count):
            answer = await model.complete(ChatRequest((Message("hi"),), stream=True))
            assert answer.text == "Paris"
            await asyncio.sleep(0.1)
        await model.aclose()
        await asyncio.sleep(0.1)  # each handler sees that its client has gone
        server.close()

    asyncio.run(run())
    return len(peers)


def test_a_connection_whose_body_ends_behind_the_answer_is_used_again() -> None:
    body = chunk(TEXT + END + DONE)
    assert ports([HEAD, body, LAST], 3) == ports([HEAD + body + LAST], 3) == 1
    assert ports([HEAD, body], 3) == 3, "one whose body doesn't end is closed"
    assert ports([HEAD, body, chunk(b": ping\n\n")], 3) == 3


@pytest.mark.parametrize("reason", ["error", "abort"])
@pytest.mark.parametrize("stream", [True, False])
def test_what_a_server_gave_up_is_no_answer(reason: str, stream: bool) -> None:
    choice = {"message": {"content": "Paris is"}, "finish_reason": reason}
    body = whole(json.dumps({"choices": [choice]}).encode())
    with model_server(serve=lambda _: Raw(body)) as server:
        (answer,) = ask(server, stream=stream)
    assert isinstance(answer, TransientModelError)
    assert f"finish_reason: {reason}" in str(answer)


@pytest.mark.parametrize(("events", "text"), [((b"hi",), "hi"), ((b"h", b"i"), "hi")])
def test_a_server_that_always_streams_is_understood(events: tuple[bytes, ...], text: str) -> None:
    pieces = b"".join(
        b'data: {"choices": [{"index": 0, "delta": {"content": "%b"}}]}\n\n' % piece
        for piece in events
    )
    end = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n' + DONE
    with serving(pieces, end, b"") as server:
        (answer,) = ask(server, stream=False)
    assert isinstance(answer, Completion)
    assert (answer.text, answer.finish_reason) == (text, "stop")


def test_half_a_stream_that_nobody_asked_for_is_none() -> None:
    piece = b'data: {"choices": [{"index": 0, "delta": {"content": "h"}}]}\n\n'
    with serving(piece, b"") as server:
        (answer,) = ask(server, stream=False)
    assert isinstance(answer, TransientModelError)
    assert "broke off" in str(answer)
