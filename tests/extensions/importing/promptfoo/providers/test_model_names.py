"""Providers as models."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.documents.read import DocumentPosition
from lve.extensions.importing.promptfoo.providers.model_names import (
    answer_kind,
    model_keys,
    model_name,
    read_models,
    with_settings,
)
from lve.extensions.importing.promptfoo.source import Source
from lve.spec.settings_file import settings_document
from lve.spec.settings_values import settings_from


def keys(source: Source, written: object, at: DocumentPosition) -> dict[str, object]:
    """Return the keys of a document for providers."""
    return model_keys(read_models(source, written, at))


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
    assert model_name(provider) is None


def test_args_that_all_have_are_kept(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    config = {"temperature": 0, "seed": 1}
    given = [{"id": "openai:a", "config": config}, {"openai:b": {"config": config}}]
    expected = {"models": ["openai/a", "openai/b"], "default_model_args": config}
    assert keys(source, given, at) == expected
    assert source.left_out == []


def test_other_args_are_left_out_without_their_values(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    config = {"temperature": "hot", "secret": "hidden", "max_tokens": 5, "apiKey": "hidden"}
    given = ["openai:a", {"id": "openai:b", "config": config}]
    models = ["openai/a", {"model": "openai/b", "args": {"temperature": "hot", "max_tokens": 5}}]
    assert keys(source, given, at) == {"models": models}
    told = "\n".join(source.left_out)
    assert "left out of its config: secret" in told
    assert "apiKey: the environment or lve.yaml says it" in "".join(source.told)
    assert "hidden" not in told + "".join(source.told)


def test_settings_have_other_names_here(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    (source.folder / "format.json").write_text('{"type": "json_object"}')
    config = {
        "inferenceConfig": {"maxTokens": 9, "topP": 0.5},
        "response_format": "file://format.json",
        "region": "eu-west-1",
        "seed": "{{env.SEED}}",
    }
    made = keys(source, [{"id": "bedrock:meta.llama3:0", "config": config}], at)
    assert made["model"] == "bedrock/meta.llama3:0"
    args = made["default_model_args"]
    assert args == {"max_tokens": 9, "top_p": 0.5, "response_format": {"type": "json_object"}}
    assert source.told == ["region: the environment or lve.yaml says it here (docs/models.md)"]
    assert "left out of its config: seed" in "".join(source.left_out)


def test_one_model_with_two_settings_is_there_twice(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    written = [{"id": "openai:a", "config": {"seed": seed}} for seed in (1, 2, 1)]
    assert [asked.args for asked in read_models(source, written, at)] == [{"seed": 1}, {"seed": 2}]
    assert not source.left_out


def test_instructions_are_kept_apart(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    config = {"instructions": "Be {{how}}.", "seed": 1}
    [asked] = read_models(source, {"id": "openai:responses:a", "config": config}, at)
    assert (asked.instructions, asked.args) == ("Be {{how}}.", {"seed": 1})
    assert read_models(source, "promptfoo:simulated-user", at) == []
    assert "is a part of promptfoo" in "".join(source.left_out)


# Addresses and variables as the modules of promptfoo's `src/providers` have them; for Cohere its
# own page of OpenAI's API, as promptfoo speaks Cohere's.
@pytest.mark.parametrize(
    ("provider", "model", "address", "key"),
    [
        ("cerebras:a", "cerebras/a", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
        ("cohere:a", "cohere/a", "https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY"),
        ("deepinfra:x/a", "deepinfra/x/a", "https://api.deepinfra.com/v1/openai",
         "DEEPINFRA_API_KEY"),
        ("fireworks:x/a", "fireworks/x/a", "https://api.fireworks.ai/inference/v1",
         "FIREWORKS_API_KEY"),
        ("hyperbolic:x/a", "hyperbolic/x/a", "https://api.hyperbolic.xyz/v1",
         "HYPERBOLIC_API_KEY"),
        ("lambdalabs:chat:a", "lambdalabs/a", "https://api.lambda.ai/v1", "LAMBDA_API_KEY"),
        ("nscale:chat:x/a", "nscale/x/a", "https://inference.api.nscale.com/v1",
         "NSCALE_SERVICE_TOKEN"),
        ("perplexity:sonar", "perplexity/sonar", "https://api.perplexity.ai",
         "PERPLEXITY_API_KEY"),
    ],
)  # fmt: skip
def test_a_server_that_speaks_openai_needs_an_entry_in_the_settings(
    tmp_path: Path, provider: str, model: str, address: str, key: str
) -> None:
    source, at = source_in(tmp_path)
    assert keys(source, provider, at) == {"model": model}
    [entry] = source.told
    (source.folder / "lve.yaml").write_text(entry.partition("`")[2].rstrip("`"))
    document = settings_document(source.folder)
    assert document is not None
    settings = settings_from(document).models[model]
    assert (settings.base_url, settings.api_key_env) == (address, key)
    assert (settings.provider, settings.model) == ("openai", model.partition("/")[2])


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({}, "text"),
        ({"providers": [{"config": {"response_format": {}}}]}, "json"),
        ({"providers": [{"config": {"response_format": {"type": "json_object"}}}]}, "text"),
        ({"prompts": [{"config": {"generation": {"responseSchema": {}}}}]}, "json"),
        ({"targets": {"config": {"tools": [], "response_format": {}}}}, "json"),
    ],
)
def test_what_assertions_of_programs_get(config: dict[str, object], kind: str) -> None:
    assert answer_kind(config) == kind


@pytest.mark.parametrize("given", [[], {}, [None], [{}], [[]], 3])
def test_nothing_usable_gives_no_model(tmp_path: Path, given: object) -> None:
    source, at = source_in(tmp_path)
    assert read_models(source, given, at) == []


@pytest.mark.parametrize(
    "given",
    ["openai:gpt-4o", {"id": "openai:gpt-4o"}, {"openai:gpt-4o": {}}, {"openai:gpt-4o": None}],
)
@pytest.mark.parametrize("is_list", [True, False])
def test_a_provider_without_config_is_its_model(
    tmp_path: Path, given: object, *, is_list: bool
) -> None:
    source, at = source_in(tmp_path)
    assert keys(source, [given] if is_list else given, at) == {"model": "openai/gpt-4o"}
    assert source.left_out == []


@pytest.mark.parametrize("key", ["transform", "inputs"])
def test_what_changes_a_models_answers_is_told(tmp_path: Path, key: str) -> None:
    source, at = source_in(tmp_path)
    assert read_models(source, [{"id": "openai:a", key: "output.trim()"}], at) == []
    assert f"its {key} changes what is judged" in "".join(source.left_out)


def test_a_model_names_its_prompts_and_tools(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    tool = {"name": "add", "parameters": {"type": "object"}}
    config = {"tools": [{"type": "function", "function": tool}], "tool_choice": "required"}
    given = {"id": "openai:a", "prompts": ["file://a.txt", "b"], "config": config}
    [asked] = read_models(source, [given], at)
    assert (asked.prompts, asked.tools) == (("a.txt", "b"), [tool])
    assert model_keys([asked]) == {
        "model": "openai/a",
        "default_model_args": {"tool_choice": "required"},
        "tools": [tool],
    }
    assert source.left_out == []
    other = {"id": "openai:a", "config": {"tools": [{"type": "web_search"}]}}
    [asked] = read_models(source, [other], at)
    assert asked.tools == []
    assert "left out of its config: tools" in "".join(source.left_out)


def test_a_knowledge_base_is_an_application(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    provider = {"id": "bedrock:kb:us.anthropic.claude-3:0", "config": {"knowledgeBaseId": "K"}}
    assert keys(source, [provider], at)["model"] == "app/bedrock-kb-us.anthropic.claude-3-0"
    assert source.left_out == []


def test_echo_needs_no_settings_of_prompts(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    [echo, other] = read_models(source, ["echo", "exec:x"], at)
    assert with_settings(source, echo, {"seed": 1}) == echo
    assert source.left_out == []
    with_settings(source, other, {"seed": 1})
    assert "left out of its prompt's config: seed" in "".join(source.left_out)
