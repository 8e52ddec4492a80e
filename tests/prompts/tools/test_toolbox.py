"""The tools of a test, checked before anything is sent, and filled for an instance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import SpecError
from lve.messages import ToolCall
from lve.prompts.tools.toolbox import Toolbox

PROMPT = [{"content": "Weather in {city}?"}]
TOOL = {"name": "weather", "parameters": {"type": "object"}}


def refusal(folder: Path, **keys: Any) -> list[str]:
    with pytest.raises(SpecError) as caught:
        make_plan(folder, prompt=PROMPT, prompt_parameters=["city"], **keys)
    return [str(problem).split("test.json:")[1] for problem in caught.value.problems]


def toolbox(folder: Path, mock: Any, **values: Any) -> Toolbox:
    keys = {"tools": [TOOL], "mocks": {"weather": mock}}
    plan = make_plan(folder, prompt=PROMPT, prompt_parameters=["city", *values], **keys)
    (conversation,) = plan.preview(instance(city="Rome", **values))
    assert conversation.toolbox is not None
    return conversation.toolbox


def answer(box: Toolbox, name: str, arguments: str) -> str:
    session = box.session()
    assert session is not None
    return session.answer(ToolCall("1", name, arguments)).text


def test_mocks_are_those_of_the_instance(tmp_path: Path) -> None:
    box = toolbox(tmp_path, {"args": {"city": "{city}"}, "result": "{sky}"}, sky={"sun": True})
    assert answer(box, "weather", '{"city": "Rome"}') == '{"sun": true}'
    assert answer(box, "weather", '{"city": "Oslo"}').startswith("Error: weather has no result")


def test_a_tool_that_is_not_there_is_an_error_for_the_model(tmp_path: Path) -> None:
    box = toolbox(tmp_path, {"result": "x"})
    assert answer(box, "wether", "{}") == (
        "Error: there is no tool wether (did you mean `weather`?)"
    )
    assert answer(box, "\x1b[31m" * 99, "{}").startswith("Error: there is no tool")


def test_without_mocks_nothing_answers(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, prompt=[{"content": "x"}], tools=[TOOL])
    (conversation,) = plan.preview(instance())
    assert conversation.toolbox is not None
    assert conversation.toolbox.session() is None
    assert conversation.toolbox.max_turns == 10


def test_placeholders_of_mocks_are_checked(tmp_path: Path) -> None:
    mocks: Any = {"weather": [{"result": "x"}, {"result": {"a": ["{"]}}]}
    (problem,) = refusal(tmp_path, tools=[TOOL], mocks=mocks)
    assert "$.mocks.weather[1]: " in problem
    assert "write {{ and }} for braces that are meant literally" in problem
    mocks = {"weather": {"args": {"city": "{ctiy}"}, "result": "x"}}
    (problem,) = refusal(tmp_path, tools=[TOOL], mocks=mocks)
    assert "$.mocks.weather: {ctiy} is not a declared parameter" in problem
    assert "did you mean `city`?" in problem
    with pytest.raises(SpecError) as raised:
        make_plan(tmp_path, prompt=PROMPT, tools=[TOOL], mocks=mocks)
    assert "tool_mock" in [problem.code for problem in raised.value.problems]


def test_schemas_are_checked(tmp_path: Path) -> None:
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "txt"}}}}
    mocks = {"f": [{"args_schema": {"$ref": "#/$defs/x"}, "result": 1}]}
    first, second = refusal(tmp_path, tools=[tool], mocks=mocks)
    assert "$.tools[0].parameters: not a JSON Schema" in first
    assert "$.mocks.f[0].args_schema: $ref '#/$defs/x' leads nowhere" in second
