"""Models as providers of promptfoo."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.folders import workspace, write_test

from lve.extensions.exporting.promptfoo_checks import provider_of
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.load import load_spec

SETTINGS = """
models:
  my/m: {provider: openai, model: m, base_url: 'http://localhost:1/v1', api_key_env: MY_KEY}
  my/app: {provider: exec, options: {command: [cat]}}
"""
FAST = "https://api.groq.com/openai/v1"


@pytest.mark.parametrize(
    ("name", "expected", "config"),
    [
        (
            "openai/gpt-4.1",
            "openai:chat:gpt-4.1",
            {"temperature": 0.0, "passthrough": {"top_k": 3}},
        ),
        ("openai/gpt-5", "openai:chat:gpt-5", {"max_completion_tokens": 9}),
        ("anthropic/claude-x", "anthropic:messages:claude-x", {"max_tokens": 9}),
        ("gemini/gemini-x", "google:gemini-x", {"max_tokens": 9}),
        ("groq/llama", "openai:chat:llama", {"apiBaseUrl": FAST, "apiKeyEnvar": "GROQ_API_KEY"}),
        ("my/m", "openai:chat:m", {"apiBaseUrl": "http://localhost:1/v1", "apiKeyEnvar": "MY_KEY"}),
        ("my/app", None, {}),
        ("dummy/dummy", None, {}),
        ("", None, {}),
    ],
)
def test_a_model_has_promptfoos_name_and_settings(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    expected: str | None,
    config: dict[str, object],
) -> None:
    monkeypatch.chdir(workspace(tmp_path, SETTINGS))
    write_test(tmp_path / "t", default_model_args={"max_tokens": 9, "top_k": 3})
    spec = load_spec(tmp_path / "t" / "test.json", tmp_path)
    provider = provider_of(name, spec, choose_workspace(()).settings)
    assert (provider and provider["id"]) == expected
    written = provider["config"] if provider else {}
    assert isinstance(written, dict)
    assert {key: written.get(key) for key in config} == config
