"""Tool calls and results that are part of a prompt."""

from __future__ import annotations

from typing import Any

import pytest

from lve.messages import Message, Tool
from lve.prompts.tools.prompt_calls import call_problems, with_call_ids

ASK: dict[str, Any] = {"role": "assistant", "tool_calls": [{"name": "f"}]}
BOTH: dict[str, Any] = {"role": "assistant", "tool_calls": [{"name": "f"}, {"name": "g"}]}
RESULT: dict[str, Any] = {"role": "tool", "content": "x"}
USER: dict[str, Any] = {"content": "q"}


def messages(*given: dict[str, Any]) -> list[Message]:
    return [Message.from_json(one) for one in given]


def ids(*given: dict[str, Any]) -> list[Any]:
    named = with_call_ids(messages(*given))
    return [
        [call.id for call in one.tool_calls] if one.tool_calls else one.tool_call_id
        for one in named
    ]


def test_calls_and_results_get_ids_in_order() -> None:
    given = (USER, BOTH, RESULT, RESULT, ASK, RESULT)
    assert ids(*given) == [None, ["call_1", "call_2"], "call_1", "call_2", ["call_3"], "call_3"]


def test_given_ids_stay_and_are_not_given_twice() -> None:
    own = {"role": "assistant", "tool_calls": [{"name": "f", "id": "call_1"}, {"name": "g"}]}
    second = {**RESULT, "tool_call_id": "call_2"}
    assert ids(own, second, RESULT) == [["call_1", "call_2"], "call_2", "call_1"]


TOOLS = (Tool("f"), Tool("g"))
SAME = {"role": "assistant", "tool_calls": [{"name": "f", "id": "1"}, {"name": "g", "id": "1"}]}
OTHER = {"role": "assistant", "tool_calls": [{"name": "ff"}]}


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ([USER, ASK, RESULT], []),
        ([USER, BOTH, RESULT, RESULT, USER], []),
        ([USER, ASK], [(1, "the call `call_1` has no result")]),
        ([USER, ASK, USER], [(1, "the call `call_1` has no result")]),
        ([USER, BOTH, RESULT, USER], [(1, "the call `call_2` has no result")]),
        ([USER, RESULT], [(1, "this result belongs to no call before it")]),
        ([ASK, RESULT, RESULT], [(2, "this result belongs to no call before it")]),
        ([ASK, {**RESULT, "tool_call_id": "z"}],
         [(1, "this result belongs to no call before it"), (0, "the call `call_1` has no result")]),
        ([{**ASK, "role": "user"}, RESULT], [(0, "only assistant messages have `tool_calls`")]),
        ([SAME, RESULT], [(0, "two calls have the same `id`")]),
        ([{**USER, "tool_call_id": "1"}], [(0, "only results of tools have `tool_call_id`")]),
        ([OTHER, RESULT], [(0, "there is no tool `ff` in `tools`")]),
    ],
)  # fmt: skip
def test_every_call_has_a_result_and_every_result_a_call(
    given: list[dict[str, Any]], problems: list[tuple[int, str]]
) -> None:
    found = call_problems(messages(*given), TOOLS)
    assert [(one.place, one.message) for one in found] == problems


def test_a_name_that_is_no_tool_is_a_warning_with_a_suggestion() -> None:
    (found,) = call_problems(messages(OTHER, RESULT), TOOLS)
    assert (found.severity, found.hint) == ("warning", "did you mean `f`?")
    assert not list(call_problems(messages(OTHER, RESULT), ()))
