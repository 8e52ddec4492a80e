"""Reading an answer takes time in proportion to its size, and memory below a limit."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from support.hostile_server import PLAIN, chat, event, hostile_server

from lve.errors import PermanentModelError, TransientModelError
from lve.extensions.text_completions.api import parse_text
from lve.models.http import events
from lve.models.http.answers import MAX_TEXT_CHARS
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.endpoint import Endpoint
from lve.models.http.events import EventReader
from lve.models.http.failures import classify, error_in_success
from lve.models.http.json_body import MAX_VALUES_BYTES, decode, memory_of
from lve.models.http.keys import Secret
from lve.models.openai.apis import ChatAccumulator
from lve.models.openai.embeddings import parse_embeddings
from lve.models.openai.wire import parse_chat

DEADLINE_S = 20.0
"""Generous: each of these once took minutes, or all memory. They are so large that what grows with
the square of the size still copies a hundred gigabytes."""
DONE = b"data: [DONE]\n\n"
FLOODS = [
    "a status line for ever",
    "headers for ever",
    "one header for ever",
    "one name for ever",
    "100 continue for ever",
    "103 hints for ever",
    "chunk extensions for ever",
    "trailers for ever",
]


@pytest.fixture(autouse=True)
def _in_time() -> Any:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < DEADLINE_S


def joined(pieces: Any) -> Any:
    reader = EventReader(ChatAccumulator, parse_chat)
    for piece in pieces:
        reader.feed(piece)
    return reader.completion(latency_s=1.0)


def test_a_line_in_many_pieces_is_not_copied_for_each() -> None:
    line = event({"content": "x" * 500_000})
    whole = joined([*(line[n : n + 1] for n in range(len(line))), event({}), DONE])
    assert len(whole.text) == 500_000


def test_the_arguments_of_a_call_in_many_pieces_are_joined_once() -> None:
    call = {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "0" * 100}}]}
    (whole,) = joined([*[event(call)] * 20_000, DONE]).tool_calls
    assert len(whole.arguments) == 2_000_000


def test_more_calls_than_anybody_wants_are_refused_at_once() -> None:
    calls = (event({"tool_calls": [{"index": n, "function": {}}]}) for n in range(60_000))
    with pytest.raises(PermanentModelError, match="more than 1,000 tools at once"):
        joined(calls)


def test_events_are_forgotten_once_they_are_read() -> None:
    reader = EventReader(ChatAccumulator, parse_chat)
    for _ in range(1000):
        reader.feed(event({"content": "x"}, more="y" * 1000))
    kept = sum(len(piece) for piece in reader._events)
    assert kept < 100_000


def test_what_is_kept_of_events_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_VALUES_BYTES", MAX_VALUES_BYTES // 32)
    entry = {"token": "x", "logprob": 0.0, "bytes": [], "top_logprobs": [[]] * 1000}
    choice = {"delta": {"content": "x"}, "logprobs": {"content": [entry]}}
    data = b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"
    with pytest.raises(TransientModelError, match="too many values"):
        joined([data] * 625)


@pytest.mark.parametrize(
    ("unit", "times"), [(b"[],", 20_000_000), (b'{"":0},', 1_000_000), (b"[[0]],", 2_000_000)]
)
def test_json_is_weighed_before_it_is_read(unit: bytes, times: int) -> None:
    with pytest.raises(ValueError, match="too many values"):
        decode(b"[" + unit * times + b"0]")


def test_honest_answers_are_far_below_the_caps() -> None:
    top = [{"token": " the", "logprob": -1.2345, "bytes": [32, 116, 104, 101]}] * 20
    entry = {"token": " the", "logprob": -0.1234, "bytes": [32, 116], "top_logprobs": top}
    choice = {"message": {"content": "x"}, "logprobs": {"content": [entry] * 1000}}
    body = json.dumps({"choices": [choice]}).encode()
    assert 8 * memory_of(body) < MAX_VALUES_BYTES
    assert len(parse_chat(body).logprobs) == 1000
    vector = [n / 7 for n in range(4096)]
    data = [{"index": n, "embedding": vector} for n in range(32)]
    assert len(parse_embeddings(json.dumps({"data": data}).encode(), 32)) == 32


def test_a_text_longer_than_any_is_refused_whole_and_streamed() -> None:
    text = "x" * (MAX_TEXT_CHARS + 1)
    with pytest.raises(TransientModelError, match="characters"):
        parse_chat(chat(text))
    with pytest.raises(TransientModelError, match="characters"):
        parse_text(chat(text))
    with pytest.raises(TransientModelError, match="characters"):
        joined([event({"content": text[:MAX_TEXT_CHARS]}), event({"content": "xx"}), DONE])


def test_a_rated_prompt_has_no_more_tokens_than_bytes() -> None:
    logprobs = {"tokens": ["x"] * 100_000, "token_logprobs": [0] * 100_000}
    choice = {"text": "x", "logprobs": logprobs}
    with pytest.raises(Exception, match="log-probabilities"):
        parse_text(json.dumps({"choices": [choice]}).encode(), scored="short")


@pytest.mark.parametrize(
    "vector", [[0.0] * 100_000, ["nan"], [1e999], "123", {"1": 2}, [[1], [2]], [10**400]]
)
def test_vectors_are_lists_of_numbers_that_can_be_compared(vector: Any) -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": vector}]}).encode()
    with pytest.raises(TransientModelError, match="embeddings"):
        parse_embeddings(body, 1)


def test_only_the_beginning_of_a_huge_error_is_written_out() -> None:
    lists: list[Any] = [[]] * 100_000
    assert len(str(error_in_success({"error": {"why": lists}}))) < 500
    assert len(str(classify(400, {}, b" a" * 1_000_000))) < 500


@pytest.mark.parametrize("name", FLOODS)
def test_what_is_not_the_body_is_counted_too(name: str) -> None:
    async def run(url: str) -> None:
        transport = HttpTransport(Endpoint("openai", url, "m", Secret("none")), max_connections=1)
        with pytest.raises(TransientModelError) as caught:
            await transport.post("/chat/completions", {}, timeout_s=DEADLINE_S)
        assert (caught.value.kind, "headers" in str(caught.value)) == ("malformed", True)

    with hostile_server(PLAIN[name]) as server:
        asyncio.run(run(server.url))
