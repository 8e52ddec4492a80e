"""Keys in settings are refused at any depth, and messages don't repeat them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.folders import workspace

from lve.documents.read import read_document
from lve.errors import SettingsError
from lve.spec.settings_file import load_workspace
from lve.spec.settings_values import settings_problems

KEY = "sk-abc0123456789defgh"

HOLD_A_KEY = [
    f"options: {{headers: {{Authorization: Bearer {KEY}}}}}",
    f"options: {{headers: {{X-Api-Key: {KEY}}}}}",
    f"options: {{headers: {{X-Custom: Bearer {KEY}}}}}",
    f"options: {{headers: {{Cookie: a={KEY}}}}}",
    f"options: {{default_headers: {{Proxy-Authorization: Basic {KEY}}}}}",
    f"options: {{deep: [{{deeper: {{clientSecret: {KEY}}}}}]}}",
    f"args: {{extra_body: {{api-key: {KEY}}}}}",
    f"args: {{extra_headers: {{Authorization: {KEY}}}}}",
    f"api_key: {KEY}",
    f"api_key_env: {KEY}",
    f"api_key_env: [{KEY}]",
    "api_key_env: ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "api_key_env: AKIA0123456789ABCDEF",
    f"base_url: {KEY}",
    f"base_url: 'https://me:{KEY}@model.test/v1'",
    f"provider: {KEY}",
    f"{KEY}: 1",
    "options: {api-key: hunter2}",
    "options: {client-secret: hunter2}",
    "options: {apiKey: hunter2}",
]


@pytest.mark.parametrize("line", HOLD_A_KEY)
def test_a_key_in_settings(tmp_path: Path, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_workspace(workspace(tmp_path, f"models:\n  openai/x:\n    {line}\n"))
    said = str(caught.value)
    assert "lve.yaml:3:" in said
    for key in (KEY, "16C7e42F292c6912", "AKIA0123456789ABCDEF"):
        assert key not in said


HOLD_NONE = [
    "options: {headers: {X-Title: lve, Accept: application/json}}",
    "args: {stop_token_ids: [1, 2], max_tokens: 5, logit_bias: {token: 1}}",
    "args: {response_format: {json_schema: {properties: {password: {type: string}}}}}",
    "args: {extra_body: {guided_json: {required: [password], properties: {key: {}}}}}",
    "api_key_env: MY_SERVER_KEY_2024",
    "api_key_env: my_key",
    "options: {api-key-env: MY_KEY, client_secret_env: MY_SECRET}",
    "{provider: scripted, options: {answers: {'What is the password?': 'hunter2', key: a}}}",
]


@pytest.mark.parametrize("line", HOLD_NONE)
def test_no_key_in_settings(tmp_path: Path, line: str) -> None:
    load_workspace(workspace(tmp_path, f"models:\n  openai/x:\n    {line}\n"))


@pytest.mark.parametrize(
    ("models", "hint"),
    [
        ("{a: {provider: opneai}}", "did you mean `openai`?"),
        ("{hf/x: {provider: openai}}", "give the model another name"),
    ],
)
def test_a_provider_that_cannot_be_is_a_problem_of_the_models_options(
    tmp_path: Path, models: str, hint: str
) -> None:
    file = workspace(tmp_path, f"models: {models}\n") / "lve.yaml"
    [problem] = settings_problems(read_document(file))
    assert (problem.code, problem.hint) == ("model_options", hint)


@pytest.mark.parametrize(
    ("plugins", "hint"),
    [
        ("", "name the plugin that brings it in `plugins`"),
        ("plugins: []", "name the plugin that brings it in `plugins`"),
        ("plugins: [zzz]", "name the plugin that brings it in `plugins`"),
        ("plugins: [otherhouse]", "did you mean `otherhouse`?"),
        ("plugins: [other, otherhost]", None),  # it need not be installed
    ],
)
def test_a_plugin_brings_a_provider(tmp_path: Path, plugins: str, hint: str | None) -> None:
    text = f"{plugins}\nmodels: {{x: {{provider: otherhost}}}}\n"
    problems = settings_problems(read_document(workspace(tmp_path, text) / "lve.yaml"))
    assert [problem.hint for problem in problems] == ([] if hint is None else [hint])


@pytest.mark.parametrize("plugins", ["[[a]]", "[{a: 1}]", "[7, null]", "[x, [y]]"])
def test_plugins_that_are_no_names_do_not_hinder_a_suggestion(tmp_path: Path, plugins: str) -> None:
    workspace(tmp_path, f"plugins: {plugins}\nmodels: {{x: {{provider: opnai}}}}")
    with pytest.raises(SettingsError, match="did you mean `openai`"):
        load_workspace(tmp_path)
