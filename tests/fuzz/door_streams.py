"""What servers of models send: bodies, streams, headers, lines of batches, as each provider has
them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from support.answer_bytes import answer_to_wire

from lve.errors import AdjustedRequestError, ModelError
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.models.chat_model import ChatRequest, wrong_with
from lve.models.http.connections.transport import HttpResponse
from lve.models.registry import create_model
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import result_of_line
from lve.sessions.journal.result_json import result_line
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

from .attempts import Door, Parts
from .hostile_inputs import MUTATIONS
from .json_mutations import mutated_json, written
from .server_answers import KEY, originals

STATUSES = (
    200,
    200,
    200,
    200,
    201,
    204,
    301,
    400,
    401,
    404,
    408,
    413,
    422,
    429,
    500,
    503,
    529,
    999,
)
HEADERS = (
    b"Retry-After: 1",
    b"Retry-After: -1",
    b"Retry-After: 1e400",
    b"Retry-After: nan",
    b"Retry-After: Wed, 21 Oct 2099 07:28:00 GMT",
    b"Retry-After: Wed, 99 Oct 99999 07:28:00 GMT",
    b"retry-after-ms: " + b"9" * 400,
    b"x-ratelimit-reset-requests: 1d2h3m4s5ms",
    b"x-ratelimit-reset-tokens: 9e999s",
    b"x-ratelimit-remaining-tokens: \xff",
    b"Location: http://[",
    b"Location: " + KEY.encode(),
    b"Content-Encoding: gzip",
    b"Content-Encoding: br",
    b"Content-Type: \x00",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Content-Length: 7",
    b"Content-Length: -1",
    b"Content-Length: 1, 2",
    b": no name",
    b"no colon",
    b"X: " + b"y" * 70_000,
)
HOWS = ("chat", "stream", "text", "rated text", "rated chat", "embed", "list", "batch")
Ask = Callable[[Any], Coroutine[Any, Any, Any]]


class CannedTransport:
    """Gives the same answer to each request, through lve's own connection."""

    def __init__(self, wire: bytes, cuts: tuple[int, ...]) -> None:
        self._wire, self._cuts = wire, cuts

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        timeout_s: float,
        on_data: Callable[[bytes], None] | None = None,
    ) -> HttpResponse:
        """Return the answer; a stream's reader gets its body."""
        return answer_to_wire(self._wire, cuts=self._cuts, on_data=on_data)

    async def get(self, path: str, *, timeout_s: float) -> HttpResponse:
        """Return the answer."""
        return answer_to_wire(self._wire, cuts=self._cuts)

    async def aclose(self) -> None:
        """Close nothing."""


def streams() -> Door:
    """Return the door of everything that comes over HTTP."""
    return Door(_draw, _eat, cost=1.0)


def _draw(draw: random.Random) -> Parts:
    provider, how, answer = draw.choice(originals())
    if draw.random() < 0.05:
        how = draw.choice(HOWS)
    others = tuple(one for _, _, one in draw.choices(originals(), k=3))
    if draw.random() < 0.8:
        answer = mutated_json(draw, answer, others)
    is_events = isinstance(answer, list) and how == "stream"
    body = b"".join(_event(draw, one) for one in answer) if is_events else written(answer, draw)
    if draw.random() < 0.3:
        body = draw.choice(MUTATIONS)(draw, body)
    wire = _wire(draw, body)
    if draw.random() < 0.15:
        wire = draw.choice(MUTATIONS)(draw, wire)
    cuts = ",".join(
        str(draw.randrange(max(len(wire), 1))) for _ in range(draw.choice((0, 0, 1, 8)))
    )
    return {"provider": provider.encode(), "how": how.encode(), "cuts": cuts.encode(), "wire": wire}


def _event(draw: random.Random, value: Any) -> bytes:
    name = value.get("type", "message") if isinstance(value, dict) else "message"
    start = f"event: {name}\n".encode("utf-8", "replace") if draw.random() < 0.5 else b""
    end = draw.choice((b"\n\n", b"\n\n", b"\n\n", b"\r\n\r\n", b"\n", b"\ndata:\n\n", b"\n: x\n\n"))
    return start + b"data: " + written(value, draw) + end


def _wire(draw: random.Random, body: bytes) -> bytes:
    status = draw.choice(STATUSES)
    headers = [draw.choice(HEADERS)] if draw.random() < 0.3 else []
    if draw.random() < 0.2:
        size = draw.choice((1, 7, 64, 4096))
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in [*pieces, b""])
        headers.append(b"Transfer-Encoding: chunked")
    elif draw.random() < 0.9:
        headers.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([b"HTTP/1.1 %d OK" % status, *headers, b"", body])


def _eat(parts: Parts) -> None:
    provider, how = (parts.get(name, b"").decode() for name in ("provider", "how"))
    cuts = tuple(int(cut) for cut in parts.get("cuts", b"").split(b",") if cut.isdigit())
    with _key():
        model = _model(provider)
        model.transport = CannedTransport(parts.get("wire", b""), cuts)
        for _ in range(3):  # a refused request is adjusted, and sent again
            try:
                answer = _run(WAYS.get(how, _chat)(model, parts.get("wire", b"")))
            except AdjustedRequestError:
                continue
            except ModelError as error:
                if KEY in str(error):
                    raise AssertionError("the error has the key") from error
                raise
            if isinstance(answer, Completion):
                keeps(answer)
            return


@contextmanager
def _key() -> Iterator[None]:
    before = os.environ.get("KEY_OF_A_TEST")
    os.environ["KEY_OF_A_TEST"] = KEY
    try:
        yield
    finally:
        os.environ.pop("KEY_OF_A_TEST")
        if before is not None:
            os.environ["KEY_OF_A_TEST"] = before


def _model(provider: str) -> Any:
    api = {"openai": "chat", "responses": "responses"}.get(provider)
    kind = provider if provider in ("anthropic", "gemini") else "openai"
    entry = ModelSettings(
        provider=kind, base_url="http://127.0.0.1:9/v1", api_key_env="KEY_OF_A_TEST", api=api
    )
    return create_model(f"{kind}/m", Settings(models={f"{kind}/m": entry}))


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run what waits for nothing, without a loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


def _request(**more: Any) -> ChatRequest:
    messages = (Message("hi", Role.user),)
    return ChatRequest(
        messages=messages,
        args={"temperature": 0.0, "max_tokens": 9},
        by_default=frozenset({"temperature"}),
        **more,
    )


def _chat(model: Any, wire: bytes) -> Coroutine[Any, Any, Any]:
    return model.complete(_request())


def _stream(model: Any, wire: bytes) -> Coroutine[Any, Any, Any]:
    return model.complete(_request(stream=True, listen=lambda: list[str]().append))


async def _batch(model: Any, wire: bytes) -> Any:
    if not hasattr(model, "batch_api"):
        return None
    api = model.batch_api()
    line = wire.partition(b"\r\n\r\n")[2]
    if api.name_of(line) is None:
        return None
    request = _request()
    return api.read(line, request, api.write(request), latency_s=0.1)


WAYS: dict[str, Callable[[Any, bytes], Coroutine[Any, Any, Any]]] = {
    "chat": _chat,
    "stream": _stream,
    "text": lambda model, _: model.complete(_request(prompt="a b")),
    "rated text": lambda model, _: model.complete(_request(prompt="a b", score=True)),
    "rated chat": lambda model, _: model.complete(_request(score=True)),
    "embed": lambda model, _: _embed(model),
    "list": lambda model, _: model.list_models(),
    "batch": _batch,
}


async def _embed(model: Any) -> Any:
    return await model.embed(["a"]) if hasattr(model, "embed") else None


def keeps(completion: Completion) -> None:
    """Check that the journal of a session takes a completion, and can be read again."""
    why = wrong_with(completion)
    assert why is None, why
    messages = (Message("hi"), Message(completion.text, Role.assistant, variable="response"))
    result = InstanceResult(
        test="t",
        model="m",
        source="s",
        line=1,
        repeat=0,
        args={},
        verdict="passed",
        reason="",
        responses=(completion.text,),
        usage=completion.usage or Usage(),
        transcripts=(Transcript(messages, (completion,), None, (1,)),),
    )
    line = result_line(result)
    assert result_of_line(line.encode() + b"\n") is not None, line[:2000]
