"""Gemini models as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import command_line
from support.folders import write_test
from support.strict_server import Answered, StrictServer, strict_server

from lve.extensions.gemini.plugin import GeminiWire
from lve.models.known_models import price_of
from lve.models.registry import create_model
from lve.settings.settings import Settings

NAME = "gemini/gemini-3.5-flash"
ANSWER = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Hello!"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 3},
    "modelVersion": "gemini-3.5-flash",
}


@contextmanager
def google(
    monkeypatch: pytest.MonkeyPatch, body: Any = ANSWER, *, variable: str = "GEMINI_API_KEY"
) -> Iterator[StrictServer]:
    """A server that the user names in the variable of Google's client."""
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with strict_server(lambda _: None, [Answered(200, json.dumps(body).encode())]) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv(variable, "AIza-of-this-test")
        yield server


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_a_run_needs_nothing_but_a_key(
    variable: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "hello")
    with google(monkeypatch, variable=variable) as server:
        code, out, _ = command_line.call("run", root, "--model", NAME, "--json")
    assert not code
    (instance,) = json.loads(out)["tests"][0]["instances"]
    assert instance["verdict"] == "passed"
    (asked,) = server.requests
    assert asked.path == "/v1beta/models/gemini-3.5-flash:generateContent"
    assert asked.headers["x-goog-api-key"] == "AIza-of-this-test"
    (file,) = root.glob(".lve/runs/*/results.jsonl")
    line = json.loads(file.read_text())
    assert line["usage"] == {"prompt_tokens": 5, "completion_tokens": 5, "reasoning_tokens": 3}


def test_the_server_says_which_models_it_has(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with google(monkeypatch, {"models": [{"name": "models/gemini-b"}]}) as server:
        code, out, _ = command_line.call("models", "offered", "gemini")
    assert not code
    assert out.splitlines() == ["gemini/gemini-b"]
    assert server.requests[0].path == "/v1beta/models?pageSize=1000"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gemini-3", "/models/gemini-3:generateContent"),
        ("tunedModels/mine", "/tunedModels/mine:generateContent"),
        ("a\r\nX-Evil: 1", "/models/a%0D%0AX-Evil:%201:generateContent"),
        ("a?key=b#c", "/models/a%3Fkey%3Db%23c:generateContent"),
    ],
)
def test_a_models_name_is_no_more_than_a_part_of_the_path(name: str, path: str) -> None:
    assert GeminiWire(name).path(stream=False) == path


def test_an_address_with_a_version_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-of-this-test")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "https://gateway.example/gemini/v1/")
    model = create_model(NAME, Settings())
    assert dict(model.identity or {})["base_url"] == "https://gateway.example/gemini/v1"
    assert price_of(NAME, Settings()) is None
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL")
    price = price_of(NAME, Settings())
    assert price is not None
    assert (price.input, price.output) == (1.5, 9)
