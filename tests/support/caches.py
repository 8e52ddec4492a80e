"""Caches to test with."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lve.execution.cache.cache import CompletionCache, request_key
from lve.messages import Completion, Message, ToolCall, Usage
from lve.models.chat_model import ChatRequest

FULL = Completion(
    text='hello \x1b[31m "quoted" \u2028 \ud800 ñ',
    finish_reason="stop",
    usage=Usage(10, 20),
    latency_s=0.25,
    first_token_s=0.1,
    model="served",
    logprobs=[{"token": "a", "logprob": -0.5}],
    tool_calls=(ToolCall("c1", "weather", '{"city": "Rome"}'),),
    reasoning="Rome is in Italy.",
    provider_state={"api": "x", "items": [{"id": "r1"}]},
)


def key_of(number: int) -> str:
    """Return the key of some request; another number, another key."""
    return request_key({"provider": "x"}, ChatRequest(messages=(Message(str(number)),)))


def open_cache(path: Path, warnings: list[str] | None = None) -> CompletionCache:
    """Open a cache; without a list for its warnings there must be none."""
    cache = CompletionCache.open(path, warn=pytest.fail if warnings is None else warnings.append)
    assert cache is not None
    return cache


def found_in(cache: CompletionCache, number: int) -> Completion | None:
    """Return what a cache holds under `key_of(number)`."""

    async def look() -> Completion | None:
        return cache.get(key_of(number))

    return asyncio.run(look())


def fill(path: Path, count: int) -> None:
    """Store `FULL` under the keys of 0 to `count`."""

    async def scenario() -> None:
        cache = open_cache(path)
        await asyncio.gather(*(cache.put(key_of(n), FULL) for n in range(count)))
        cache.close()

    asyncio.run(scenario())
