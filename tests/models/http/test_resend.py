"""A transport never resends a request that may have been billed."""

from __future__ import annotations

import asyncio

import pytest
from support.server import model_server

from lve.errors import TransientModelError
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.http.connections import pool
from lve.models.registry import create_model
from lve.settings.settings import Settings


def test_a_hanging_answer_on_a_kept_connection_is_not_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(pool, "STALE_AFTER_S", -1.0)  # every kept connection may be stale
    request = ChatRequest((Message("hello"),), timeout_s=0.05)

    async def ask(url: str) -> None:
        model = create_model("openai/m", Settings(), base_url=url)
        await model.complete(request)
        with pytest.raises(TransientModelError) as caught:
            await model.complete(request)
        assert caught.value.kind == "timeout"
        await model.aclose()

    with model_server(faults=[None, "hang"]) as server:
        asyncio.run(ask(server.url))
        assert len(server.requests) == 2
