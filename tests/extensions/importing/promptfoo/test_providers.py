"""Providers as models."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.promptfoo import source_in

from lve.extensions.importing.promptfoo.providers import model_name, read_models
from lve.extensions.importing.promptfoo.source import UnsupportedError


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai:gpt-6-luna", "openai/gpt-6-luna"),
        ("openai:chat:gpt-6-luna", "openai/gpt-6-luna"),
        ("openai:responses:gpt-6-luna", "openai/gpt-6-luna"),
        ("anthropic:messages:claude-haiku-5", "anthropic/claude-haiku-5"),
        ("google:gemini-3-pro", "gemini/gemini-3-pro"),
        ("ollama:llama3:8b", "ollama/llama3:8b"),
        ("openrouter:meta-llama/llama-3", "openrouter/meta-llama/llama-3"),
    ],
)
def test_names(provider: str, model: str) -> None:
    assert model_name(provider) == model


@pytest.mark.parametrize(
    "provider",
    [
        *("", "openai", "openai:", "openai:embedding:x", "exec:x", "file://x.js", "echo"),
        *("https://example.com", "openai:{{env.X}}", "openai:a b", "openai:chat:a:b\n", "None"),
    ],
)
def test_others_have_none(provider: str) -> None:
    with pytest.raises(UnsupportedError, match="lve has no model for"):
        model_name(provider)


def test_args_that_all_have_are_kept(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    config = {"temperature": 0, "seed": 1}
    given = [{"id": "openai:a", "config": config}, {"openai:b": {"config": config}}]
    assert read_models(source, given, at) == (["openai/a", "openai/b"], config)
    assert source.left_out == []


def test_other_args_are_left_out_without_their_values(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    config = {"temperature": "hot", "apiKey": "hidden", "max_tokens": 5}
    given = ["openai:a", {"id": "openai:b", "config": config}]
    assert read_models(source, given, at) == (["openai/a", "openai/b"], {})
    told = "\n".join(source.left_out)
    assert "left out of its config: apiKey" in told
    assert "args that differ by model" in told
    assert "hidden" not in told


@pytest.mark.parametrize("given", [[], {}, [None], [{}], [[]], 3, {"a": {"config": 1}}])
def test_nothing_usable_gives_no_model(tmp_path: Path, given: object) -> None:
    source, at = source_in(tmp_path)
    assert read_models(source, given, at) == ([], {})


@pytest.mark.parametrize(
    "given",
    ["openai:gpt-4o", {"id": "openai:gpt-4o"}, {"openai:gpt-4o": {}}, {"openai:gpt-4o": None}],
)
@pytest.mark.parametrize("is_list", [True, False])
def test_a_provider_without_config_is_its_model(
    tmp_path: Path, given: object, *, is_list: bool
) -> None:
    source, at = source_in(tmp_path)
    assert read_models(source, [given] if is_list else given, at) == (["openai/gpt-4o"], {})
    assert source.left_out == []
