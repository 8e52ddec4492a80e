"""Tools of providers, in the formats of OpenAI's and Anthropic's APIs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.providers.tools import choice_of, tools_of
from lve.extensions.importing.promptfoo.source import UnsupportedError

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
ABOUT = {"name": "sky", "description": "Says what the sky is like."}
TOOL = {**ABOUT, "parameters": SCHEMA}


@pytest.mark.parametrize(
    "written",
    [
        {"type": "function", "function": TOOL},
        {"type": "function", "function": {**TOOL, "strict": True}},
        {"type": "function", **TOOL},
        TOOL,
        {"toolSpec": {**ABOUT, "inputSchema": {"json": SCHEMA}}},
        {"name": "sky", "description": TOOL["description"], "input_schema": SCHEMA},
    ],
)
def test_each_format_is_read(tmp_path: Path, written: Any) -> None:
    source, _ = source_in(tmp_path)
    assert tools_of(source, [written]) == [TOOL]


def test_a_file_has_them(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    (source.folder / "tools.json").write_text('[{"name": "sky"}]')
    assert tools_of(source, "file://tools.json") == [{"name": "sky"}]


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        "file://no.json",
        [{"type": "web_search_preview"}],
        [{"name": "sky", "cache_control": {}}],
        [{"type": "function", "function": {"name": "sky"}, "more": 1}],
        [{"name": 3}],
        [{"name": "sky", "parameters": "x"}],
        [{"name": "{{tool}}"}],
        ["sky"],
        [[TOOL]],
    ],
)
def test_other_tools_are_none(tmp_path: Path, written: Any) -> None:
    source, _ = source_in(tmp_path)
    with pytest.raises(UnsupportedError, match="left out"):
        tools_of(source, written)


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        ("auto", "auto"),
        ("required", "required"),
        ({"type": "tool", "name": "sky"}, {"type": "function", "function": {"name": "sky"}}),
        (
            {"type": "function", "function": {"name": "sky"}},
            {"type": "function", "function": {"name": "sky"}},
        ),
    ],
)
def test_choices(written: Any, choice: Any) -> None:
    assert choice_of(written) == choice


@pytest.mark.parametrize("written", ["any", {"type": "any"}, None, 3])
def test_other_choices_are_none(written: Any) -> None:
    with pytest.raises(UnsupportedError, match="its tool_choice"):
        choice_of(written)
