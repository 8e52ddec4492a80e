"""The tools and mocks of a test document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.documents.read import read_document
from lve.errors import SpecError
from lve.messages import Tool
from lve.settings.settings import Caps
from lve.spec.load import load_spec
from lve.spec.tools import Mock, tool_problems, tool_use

DOCUMENT: dict[str, Any] = {
    "description": "d", "prompt": [{"content": "x"}], "check": {"contains": "x"},
}  # fmt: skip
TOOLS = [{"name": "f"}, {"name": "get-it_2", "description": "Gets."}]


def load(folder: Path, **keys: Any) -> Any:
    (folder / "test.json").write_text(json.dumps({**DOCUMENT, **keys}), encoding="utf-8")
    return load_spec(folder, folder)


def test_tools_and_mocks_are_read(tmp_path: Path) -> None:
    mocks = {
        "f": {"result": None},
        "get-it_2": [{"error": "no", "times": 2}, {"args": {"a": 1}, "results": ["x", 2]}],
    }
    use = load(tmp_path, tools=TOOLS, mocks=mocks, max_tool_turns=3).tools
    assert use.tools == (Tool("f"), Tool("get-it_2", "Gets."))
    assert use.max_turns == 3
    second = ("mocks", "get-it_2", 1)
    assert use.mocks == {
        "f": (Mock(("mocks", "f")),),
        "get-it_2": (
            Mock(("mocks", "get-it_2", 0), result="no", is_error=True, times=2),
            Mock(second, {"a": 1}, result="x", times=1),
            Mock(second, {"a": 1}, result=2, times=1),
        ),
    }


def test_arguments_may_have_any_name(tmp_path: Path) -> None:
    named = {"url": {"type": "string"}, "headers": {}, "api_key": {}, "command": {}}
    schema = {"type": "object", "properties": named}
    mocks = {"f": {"args": dict.fromkeys(named, "x"), "result": dict.fromkeys(named, "y")}}
    assert load(tmp_path, tools=[{"name": "f", "parameters": schema}], mocks=mocks).tools


def test_a_test_without_tools_has_none(tmp_path: Path) -> None:
    assert load(tmp_path).tools is None
    assert tool_use({"tools": TOOLS}).mocks is None  # type: ignore[union-attr]  # there are some


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"tools": []}, r"\$\.tools"),
        ({"tools": [{}]}, r"\$\.tools\[0\]: .*name"),
        ({"tools": [{"name": "a b"}]}, r"\$\.tools\[0\]\.name"),
        ({"tools": [{"name": "f", "url": "http://x"}]}, r"`url` can't be set here"),
        ({"tools": [{"name": "f", "parameters": {"type": "array"}}]}, r"parameters\.type"),
        ({"tools": [{"name": "f", "parameters": {}}]}, r"parameters.*type"),
        ({"tools": TOOLS, "mocks": {"f": {}}}, r"\$\.mocks\.f"),
        ({"tools": TOOLS, "mocks": {"f": {"result": 1, "error": "x"}}}, r"\$\.mocks\.f"),
        ({"tools": TOOLS, "mocks": {"f": {"result": 1, "delay_s": 11}}}, r"delay_s"),
        ({"tools": TOOLS, "mocks": {"f": {"reslut": 1}}}, r"did you mean `result`"),
        ({"mocks": {"f": {"result": 1}}}, r"tools"),
        ({"tools": TOOLS, "max_tool_turns": 3}, r"mocks"),
        ({"tools": TOOLS, "mocks": {"f": {"result": 1}}, "max_tool_turns": 0}, r"max_tool_turns"),
        ({"tools": [TOOLS[0], TOOLS[0]]}, r"\$\.tools\[1\]\.name: there are two tools `f`"),
        ({"tools": TOOLS, "mocks": {"ff": {"result": 1}}}, r"no tool `ff` \(did you mean `f`\?\)"),
        ({"tools": TOOLS, "mocks": {"xyz": {"result": 1}}}, r"no tool `xyz` \(name it in `tools`"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        load(tmp_path, **keys)


def test_a_test_can_not_raise_the_cap_on_turns(tmp_path: Path) -> None:
    keys = {"tools": TOOLS, "mocks": {"f": {"result": 1}}}
    assert load(tmp_path, **keys, max_tool_turns=50).tools.max_turns == 50
    with pytest.raises(SpecError, match="51 is more than the 50 allowed"):
        load(tmp_path, **keys, max_tool_turns=51)


@pytest.mark.parametrize("other", ["infer_cfg", "prompt_object"])
def test_only_messages_have_tools(tmp_path: Path, other: str) -> None:
    file = tmp_path / "test.json"
    file.write_text(json.dumps({"tools": TOOLS, other: {}}), encoding="utf-8")
    (found,) = tool_problems(read_document(file), Caps())
    assert (found.path, found.message) == ("$.tools", "`tools` has no effect here")


@pytest.mark.parametrize("tools", [7, [7], [{"name": 7}], {"f": 1}, None])
def test_values_of_a_wrong_type_are_left_to_the_schema(tmp_path: Path, tools: Any) -> None:
    file = tmp_path / "test.json"
    file.write_text(json.dumps({"tools": tools, "mocks": [], "max_tool_turns": "x"}))
    assert not list(tool_problems(read_document(file), Caps()))
