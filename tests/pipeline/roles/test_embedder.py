"""Vectors are got with the care of completions."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

import pytest

from lve.errors import TemplateError, TransientModelError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.cache.key import key_maker
from lve.execution.request_limits import ModelLimits
from lve.execution.retry import RetryPolicy
from lve.execution.stop import StopSignal
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.dummy import DummyModel
from lve.pipeline.roles.role_models import Embedder, identity_of_vectors

IDENTITY = {"provider": "test", "gives": "vectors"}


class Vectors:
    """Gives every text its length as vector, once it has failed."""

    name = "test/vectors"
    identity = None

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        if len(self.asked) == 1:
            raise TransientModelError("busy", kind="server", status=500)
        return [[float(len(text)), 0.5] for text in texts]

    async def complete(self, request: ChatRequest) -> Completion:
        raise AssertionError("is asked for vectors only")

    async def aclose(self) -> None:
        raise AssertionError("its completer closes it")


class Store(dict[str, Completion]):
    """A cache in memory, which no other process uses."""

    claims = None

    def __init__(self, *kept: dict[str, Completion]) -> None:
        super().__init__(*kept)
        self.asking: dict[str, list[asyncio.Future[None]]] = {}

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        self[key] = completion


def embedder(model: Vectors, store: Store) -> Embedder:
    stop_signal = StopSignal()
    return Embedder(
        model,
        stop_signal=stop_signal,
        limits=ModelLimits(stop_signal=stop_signal, clock=time.monotonic, max_connections=2),
        budget=Budget(BudgetCaps(), stop_signal),
        cache=store,
        key_of=key_maker(IDENTITY),
        policy=RetryPolicy(base_s=0.0001, cap_s=0.0001),
    )


def test_vectors_are_tried_again_kept_and_found() -> None:
    model, store = Vectors(), Store()

    async def twice() -> list[list[list[float]]]:
        found = []
        for _ in range(2):
            made = embedder(model, store)
            found.append([list(vector) for vector in await made.embed(["tea", "milk"])])
            await made.close(print)
        return found

    assert asyncio.run(twice()) == [[[3.0, 0.5], [4.0, 0.5]]] * 2
    assert model.asked == [["tea", "milk"]] * 2


def test_what_earlier_versions_kept_is_found() -> None:
    request = ChatRequest(args={"max_tokens": 1}, prompt=json.dumps(["tea"]))
    store = Store({key_maker(IDENTITY)(request): Completion("[[1.0, 2.0]]")})
    model = Vectors()
    [vector] = asyncio.run(embedder(model, store).embed(["tea"]))
    assert (list(vector), model.asked) == ([1.0, 2.0], [])


def test_vectors_are_kept_apart_from_what_the_same_model_says() -> None:
    model = Vectors()
    assert identity_of_vectors(model) is None, "nothing of it is kept"
    model.identity = {"provider": "test"}  # type: ignore[assignment]
    assert identity_of_vectors(model) == IDENTITY
    with pytest.raises(TemplateError, match="dummy/dummy makes no embeddings"):
        identity_of_vectors(DummyModel("dummy/dummy"))
