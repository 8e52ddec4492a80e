"""Forms in which promptfoo's providers give calls of tools, and the schemas of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.providers.call_forms import call_form, form_of_all
from lve.extensions.importing.promptfoo.source import CallForm

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}}
TOOL = {"name": "get", "parameters": SCHEMA}
CHAT = {"type": "function", "function": TOOL}
GATEWAY = {"type": "function", "definition": {"schema": TOOL}}
LOUD = {"type": "OBJECT", "properties": {"at": {"type": "STRING"}}}
GOOGLE = [{"functionDeclarations": [{"name": "get", "parameters": LOUD}]}, {"googleSearch": {}}]
SPEC = {"toolSpec": {"name": "get", "inputSchema": {"json": SCHEMA}}}


@pytest.mark.parametrize(
    ("name", "config", "form"),
    [
        ("openai:chat:gpt", {"tools": [CHAT]}, "chat"),
        ("openai:gpt", {"functions": [TOOL]}, "function"),
        ("openai:responses:o3", {"tools": [{"type": "function", **TOOL}]}, "responses"),
        ("cerebras:llama", {"tools": [CHAT]}, "chat"),
        ("google:gemini", {"tools": GOOGLE}, "google"),
        ("google:gemini", {"tools": GOOGLE[0]}, "google"),
        ("vertex:gemini", {"tools": GOOGLE}, "google"),
        ("vertex:claude", {"tools": [TOOL]}, ""),
        ("google:live:gemini", {"tools": GOOGLE}, "live"),
        ("bedrock:amazon.nova-pro-v1:0", {"toolConfig": {"tools": [SPEC]}}, "nova"),
        ("bedrock:amazon.nova-sonic-v1:0", {"toolConfig": {"tools": [SPEC]}}, ""),
        ("bedrock:converse:x", {"toolConfig": {"tools": [SPEC]}}, "blocks"),
        ("anthropic:messages:c", {"tools": [{"name": "get", "input_schema": SCHEMA}]}, "blocks"),
        ("adaline:openai:chat:gpt", {"tools": [GATEWAY]}, "adaline"),
        ("adaline:openai:chat:gpt", {"tools": [CHAT]}, "chat"),
        ("mistral:m", {"tools": [CHAT]}, ""),
    ],
)
def test_each_provider_has_a_form(tmp_path: Path, name: str, config: Any, form: str) -> None:
    source, _ = source_in(tmp_path)
    assert call_form(source, name, config) == CallForm(form, {"get": SCHEMA})


def test_tools_may_stand_in_a_file(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    (source.folder / "t.yaml").write_text("- {name: get}\n- {type: web_search}\n")
    assert call_form(source, "openai:m", {"functions": "file://t.yaml"}) == (
        "function",
        {"get": {}},
    )
    assert call_form(source, "openai:m", {"tools": "file://gone.yaml"}) == ("chat", {})
    assert call_form(source, "openai:m", {"temperature": 1}) is None


def test_several_models_need_one_form(tmp_path: Path) -> None:
    chat, other = CallForm("chat", {"get": {}}), CallForm("chat", {"put": {}})
    assert form_of_all([None, chat, chat]) == chat
    assert form_of_all([chat, other]) == CallForm("chat", {})
    assert form_of_all([chat, CallForm("google", {})]) == CallForm("", {})
    assert form_of_all([None]) is None
