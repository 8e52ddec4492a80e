"""Which mock answers a call, and its result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lve.errors import PromptError
from lve.messages import ToolCall
from lve.prompts.size import CharacterBudget
from lve.prompts.tools.mocks import MockSession, filled_mock, needs_filling
from lve.spec.tools import Mock, tool_use


def session(*given: Any, tool: str = "f") -> MockSession:
    use = tool_use({"tools": [{"name": tool}], "mocks": {tool: list(given)}})
    assert use is not None
    assert use.mocks is not None
    return MockSession(use.mocks)


def answers(mocks: MockSession, *arguments: Any) -> list[str]:
    texts = [one if isinstance(one, str) else json.dumps(one) for one in arguments]
    return [mocks.answer(ToolCall("1", "f", text)).text for text in texts]


NONE = "Error: f has no result for these arguments"


def test_the_first_mock_that_matches_answers() -> None:
    mocks = session(
        {"args": {"city": "Rome"}, "result": "sun"},
        {"args": {"city": "Oslo"}, "exact": True, "result": "snow"},
        {"args_schema": {"properties": {"n": {"maximum": 5}}, "required": ["n"]}, "result": "low"},
    )
    given = [
        {"city": "Rome", "x": 1},
        {"city": "Oslo"},
        {"city": "Oslo", "x": 1},
        {"n": 4},
        {"n": 6},
    ]
    assert answers(mocks, *given) == ["sun", "snow", NONE, "low", NONE]


def test_results_come_in_order_and_then_the_next_mock_answers() -> None:
    mocks = session(
        {"error": "busy", "times": 2}, {"results": [1, {"a": "é"}]}, {"result": ["last"]}
    )
    assert answers(mocks, {}, {}, {}, {}, {}, {}) == [
        "Error: busy", "Error: busy", "1", '{"a": "é"}', '["last"]', '["last"]',
    ]  # fmt: skip


def test_a_mock_counts_only_the_calls_that_it_answers() -> None:
    mocks = session({"args": {"a": 1}, "result": "x", "times": 1}, {"result": "y"})
    assert answers(mocks, {"a": 2}, {"a": 1}, {"a": 1}) == ["y", "x", "y"]


def test_calls_without_a_result_are_reported_to_model_and_author() -> None:
    mocks = session({"args": {"a": 1}, "result": "x"})
    answer = mocks.answer(ToolCall("1", "f", '{"a": 2}'))
    assert (answer.text, answer.problem) == (NONE, 'no mock of f answers {"a": 2}')
    wrong = mocks.answer(ToolCall("1", "f", "{a}"))
    assert wrong == ("Error: the arguments are no JSON object", 0.0, None)


def test_a_schema_that_takes_too_long_matches_nothing() -> None:
    schema = {"properties": {"a": {"uniqueItems": True}}}
    mocks = session({"args_schema": schema, "result": "x"})
    long = {"a": list(range(100_000))}
    assert answers(mocks, {"a": [1, 2]}, long, {"a": [1, 1]}) == ["x", NONE, NONE]


def fill(parameters: dict[str, Any], **given: Any) -> Mock:
    return filled_mock(Mock((), **given), parameters, CharacterBudget())


def test_mocks_are_filled_with_parameters() -> None:
    result = {"text": "{{{n}}} in {city}", "rows": ["{rows}"], "n": "{n}", "k": 7}
    mock = fill({"city": "Rome", "rows": [1, 2], "n": 3}, args={"city": "{city}"}, result=result)
    assert mock.args == {"city": "Rome"}
    assert mock.result == {"text": "{3} in Rome", "rows": [[1, 2]], "n": 3, "k": 7}


def test_what_a_row_says_is_never_a_template() -> None:
    assert fill({"x": "{y} {{"}, result="{x}").result == "{y} {{"


def test_a_missing_parameter_and_too_long_results_are_errors() -> None:
    with pytest.raises(PromptError, match="'x' has no value"):
        fill({}, result="{x}")
    with pytest.raises(PromptError, match="more than 10 characters"):
        filled_mock(Mock((), result=["{x}"] * 9), {"x": "ab"}, CharacterBudget(10))


def test_only_mocks_with_braces_are_filled() -> None:
    assert not needs_filling(Mock((), args={"a": 1}, result=["x", None]))
    assert needs_filling(Mock((), result={"a": ["}}"]}))
    assert needs_filling(Mock((), args={"a": "{x}"}))
