"""Settings of providers that are model args."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.providers.model_names import read_models


@pytest.mark.parametrize(
    ("provider", "config", "args", "lost"),
    [
        ("anthropic:messages:c", {"thinking": {"type": "enabled"}}, {"thinking"}, ""),
        ("openai:a", {"thinking": {"type": "enabled"}}, set(), "thinking"),
        ("google:g", {"generationConfig": {"thinkingConfig": {}}}, {"thinkingConfig"}, ""),
        ("perplexity:sonar", {"search_mode": "web", "usage_tier": "low"}, {"search_mode"}, ""),
        ("openrouter:x", {"passthrough": {"include_reasoning": True}}, {"include_reasoning"}, ""),
        ("bedrock:t", {"textGenerationConfig": {"maxTokenCount": 5}}, {"max_tokens"}, ""),
    ],
)
def test_args_of_a_providers_own_are_sent(
    tmp_path: Path, provider: str, config: dict[str, object], args: set[str], lost: str
) -> None:
    source, at = source_in(tmp_path)
    [asked] = read_models(source, {"id": provider, "config": config}, at)
    assert set(asked.args) == args
    assert (lost in "".join(source.left_out)) if lost else not source.left_out
