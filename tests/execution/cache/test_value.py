"""What a stored value is read as: the usual ones quickly, and all others the same."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lve.execution.cache.value import (
    completion_from_text,
    completion_from_value,
    value_text,
    with_checksum,
)
from lve.execution.completions import completion_from_json
from lve.messages import Completion, ToolCall, Usage
from lve.models.chat_model import MAX_SECONDS, MAX_TOKEN_COUNT, wrong_with

KEY = "0" * 32
USUAL = {"text": "4", "finish_reason": "stop", "usage": [8, 1], "latency_s": 0.5, "model": "m"}
ODDITIES: list[Any] = [None, True, 0, -1, 1.5, "", "a", [], [1], [1, 2, 0, 0], {}, float("nan")]
ODD = st.sampled_from(ODDITIES)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text() | ODD,
    "finish_reason": st.none() | st.text() | ODD,
    "usage": st.lists(st.integers(-1, MAX_TOKEN_COUNT + 1), max_size=4) | ODD,
    "latency_s": st.floats(0, 2 * MAX_SECONDS) | st.integers(-1, 5) | ODD,
    "model": st.none() | st.text() | ODD,
}


def read(value: dict[str, Any], *, quickly: bool) -> object:
    """Return the completion of a value, or the type of the error."""
    try:
        if quickly:
            return completion_from_value(value)
        return completion_from_json(value, value["text"], cached=True)
    except (KeyError, TypeError, ValueError) as error:
        return type(error)


@given(st.fixed_dictionaries(VALUES), st.permutations([*USUAL]), st.sets(st.sampled_from([*USUAL])))
@example(USUAL, [*USUAL], set())
@example({**USUAL, "latency_s": -0.5}, [*USUAL], set())
@example({**USUAL, "latency_s": 2e9}, [*USUAL], set())
@example({**USUAL, "usage": [True, 1]}, [*USUAL], set())
@example({**USUAL, "usage": [-1, 1]}, [*USUAL], set())
@example({**USUAL, "usage": [1, MAX_TOKEN_COUNT + 1]}, [*USUAL], set())
@example({**USUAL, "usage": [1, 2, 3, 4]}, [*USUAL], set())
def test_a_value_is_read_quickly_only_as_it_is_read_at_all(
    values: dict[str, Any], order: list[str], missing: set[str]
) -> None:
    value = {name: values[name] for name in order if name not in missing}
    assert read(value, quickly=True) == read(value, quickly=False)


def test_a_usual_value_is_plain() -> None:
    assert completion_from_value(USUAL).is_plain
    assert completion_from_value({**USUAL, "finish_reason": None, "model": None}).is_plain


@pytest.mark.parametrize(
    "other",
    [
        {"reasoning": "so"},
        {"first_token_s": 0.1},
        {"left_out": ["temperature"]},
        {"logprobs": [1]},
        {"contexts": ["a"]},
        {"tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}]},
        {"provider_state": {"a": 1}},
        {"usage": None},
        {"usage": [8, 1, 2, 0]},
        {"latency_s": 1},
    ],
)
def test_what_few_values_have_is_not_plain(other: dict[str, Any]) -> None:
    assert not completion_from_value({**USUAL, **other}).is_plain


FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "first_token_s": st.just(0.1),
    "logprobs": st.just([{"token": "4"}]),
    "left_out": st.just(("temperature",)),
    "tool_calls": st.just((ToolCall("1", "f", "{}"),)),
    "reasoning": st.just("so"),
    "provider_state": st.just({"api": "a", "signature": "s"}),
    "contexts": st.just(("a",)),
    "metadata": st.just({"a": 1}),
    "cost": st.just(0.5),
}


def test_these_are_all_fields_that_few_answers_have() -> None:
    assert {*FIELDS, *USUAL, "cached"} == {each.name for each in fields(Completion) if each.init}


@pytest.mark.parametrize("usage", [Usage(8, 1), Usage(8, 1, 2, 0), Usage(8, 1, 0, 1), None])
@given(values=st.fixed_dictionaries({}, optional=FIELDS))
@example(values={"provider_state": {"api": "a"}})
def test_an_answer_comes_back_with_all_that_it_has(
    usage: Usage | None, values: dict[str, Any]
) -> None:
    completion = Completion("4", "stop", usage, 0.5, model="m", **values)
    assert wrong_with(completion) is None  # it also looks whether the answer is plain
    back = completion_from_text(with_checksum(value_text(completion), KEY), KEY)
    assert replace(back, cached=False) == completion


def test_a_text_comes_back_and_a_damaged_one_does_not() -> None:
    completion = Completion("4", "stop", Usage(8, 1), 0.5, None, "m")
    text = with_checksum(value_text(completion), KEY)
    back = completion_from_text(text, KEY)
    completion.cached = True
    assert back == completion
    assert back.is_plain
    with pytest.raises(ValueError, match="checksum"):
        completion_from_text(text.replace("stop", "step"), KEY)
    with pytest.raises(ValueError, match="checksum"):
        completion_from_text(text, "1" * 32)
