"""Machines that share a store of completions."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from extensions.store.postgres import Server
from support.caches import key_of

from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.extensions.store.postgres import PostgresStore
from lve.extensions.store.server import StoreServer
from lve.extensions.store.shared import SharedCache
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest


def machine(
    server: Server,
    warnings: list[str] | None = None,
    *,
    lease_s: float = 60.0,
    away_s: float = 120,
    signal: StopSignal | None = None,
    options: str = "",
) -> SharedCache:
    """Return the cache of a machine; without `warnings` there must be none."""
    store = PostgresStore(StoreServer(server.url + options), lease_s=lease_s)
    warn = pytest.fail if warnings is None else warnings.append
    return SharedCache(store, warn=warn, stop_signal=signal or StopSignal(), away_s=away_s)


async def ask(cache: SharedCache, number: int, patience_s: float = 600) -> Completion | None:
    """Look an answer up, or claim it."""
    return await cache.claim(key_of(number), patience_s)


class Model:
    """Says the number of requests that all machines have sent."""

    name = "test/model"
    identity: dict[str, Any] = {"provider": "test"}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def complete(self, request: ChatRequest) -> Completion:
        await asyncio.sleep(0.01)
        self.asked.append(str(request.messages[0].content))
        return Completion(f"answer {request.messages[0].content}")

    async def aclose(self) -> None:
        pass


def completer(model: Model, cache: SharedCache, signal: StopSignal | None = None) -> Completer:
    """Return what asks a model, with a machine's cache."""
    signal = signal or StopSignal()
    return Completer(
        model,
        stop_signal=signal,
        limits=ModelLimits(stop_signal=signal, clock=time.monotonic, max_connections=8),
        budget=Budget(BudgetCaps(), signal),
        cache=cache,
        key_of=lambda request: key_of(int(str(request.messages[0].content))),
    )


def request(number: int) -> ChatRequest:
    """Return the request with a number."""
    return ChatRequest(messages=(Message(str(number)),))
