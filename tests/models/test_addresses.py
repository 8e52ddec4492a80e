"""Addresses of servers as people write them, and what a 404 says about a wrong one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.server import model_server

from lve.errors import ModelError
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

OPENAI = ("", "/", "/chat/completions", "//chat/completions/", "/responses", "/completions")
ANTHROPIC = ("", "/", "/v1", "/v1/", "/v1/messages", "/v1/messages/", "/messages")
GEMINI = ("", "/", "/v1beta", "/v1beta/models", "/v1beta/models/m:generateContent")
AZURE = (
    *("", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/chat/completions"),
    "/openai/deployments/m/chat/completions",
)
GATEWAY = "http://h/v1/account/anthropic"
RESOURCE = "https://r.openai.azure.com"
CASES = [
    *(("openai", f"http://h/v1{end}", "http://h/v1") for end in OPENAI),
    *(("openai", f"http://h/openai{end}", "http://h/openai") for end in OPENAI),
    ("openai", "http://h/models", "http://h/models"),
    *(("anthropic", f"http://h{end}", "http://h/v1") for end in ANTHROPIC),
    *(("anthropic", f"{GATEWAY}{end}", f"{GATEWAY}/v1") for end in ANTHROPIC),
    *(("gemini", f"http://h{end}", "http://h/v1beta") for end in GEMINI),
    ("gemini", "http://h/v1/", "http://h/v1"),
    ("gemini", "http://h/v1beta/openai/", "http://h/v1beta"),
    *(("azure", f"{RESOURCE}{end}", f"{RESOURCE}/openai/v1") for end in AZURE),
    ("azure", "https://openai/x", "https://openai/x/openai/v1"),
]
VARIABLES = {
    "openai": "OPENAI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "azure": "AZURE_OPENAI_ENDPOINT",
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY")


def model_at(provider: str, url: str | None, *, base_url: str | None = None) -> Any:
    entry = ModelSettings(provider=provider, base_url=url, api_key_env="KEY_OF_A_TEST", model="m")
    return create_model(
        f"{provider}/m", Settings(models={f"{provider}/m": entry}), base_url=base_url
    )


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KEY_OF_A_TEST", *KEYS):
        monkeypatch.setenv(name, "key-of-this-test")


@pytest.mark.parametrize(("provider", "written", "meant"), CASES)
def test_each_door_takes_each_spelling(
    provider: str, written: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert model_at(provider, written).endpoint.base_url == meant, "a setting"
    assert model_at(provider, None, base_url=written).endpoint.base_url == meant, "--base-url"
    monkeypatch.setenv(VARIABLES[provider], written)
    assert model_at(provider, None).endpoint.base_url == meant, "the environment"


def failure(model: Any) -> str:
    async def ask() -> str:
        try:
            await model.complete(ChatRequest((Message("hi"),)))
        except ModelError as error:
            return str(error)
        finally:
            await model.aclose()
        raise AssertionError("it answers")

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("provider", "end", "right"),
    [
        ("openai", "", "/v1"),
        ("openai", "/api", "/v1"),
        ("openai", "/x", "/x/v1"),
        ("openai", "/v1/messages", "/v1"),
        ("openai", "/x/v1/models", "/x/v1"),
        ("gemini", "/v1", "/v1beta"),
        ("openai", "/v1", None),
        ("openai", "/paas/v4", None),
        ("anthropic", "", None),
        ("gemini", "", None),
    ],
)
def test_a_404_says_which_address_is_meant(provider: str, end: str, right: str | None) -> None:
    with model_server(404) as server:
        root = server.url.removesuffix("/v1")
        said = failure(model_at(provider, root + end))
        assert len(server.requests) <= 2, "nothing else is tried but the other API of OpenAI"
    assert said.startswith("404: ")
    assert said.endswith(f"perhaps the base URL is {root}{right}") == (right is not None)
    assert ("perhaps" in said) == (right is not None)


def test_the_colon_before_geminis_verb_stays_one() -> None:
    wire = model_at("gemini", "http://h")
    wire._wire.__init__("qwen3:0.6b/x y")
    assert wire._wire.path(stream=False) == "/qwen3:0.6b/x%20y:generateContent"
