"""Model args mean the same in every order, for every provider; their values are the user's."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import ModelError
from lve.extensions.anthropic.plugin import AnthropicWire
from lve.extensions.bedrock.plugin import BedrockWire
from lve.extensions.gemini.plugin import GeminiWire
from lve.messages import Message, Tool
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.wire import Wire
from lve.models.openai.apis import openai_wire

WIRES: dict[str, Wire] = {
    "chat": openai_wire("m", "chat"),
    "responses": openai_wire("m", "responses"),
    "anthropic": AnthropicWire("m"),
    "gemini": GeminiWire("gemini-2.5-flash"),
    "gemini 3": GeminiWire("gemini-3.5-flash"),
    "bedrock": BedrockWire("m"),
}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
VALUES: dict[str, list[Any]] = {
    "parallel_tool_calls": [False, True],
    "tool_choice": [
        *("required", "auto", "none", {"type": "any"}, {"type": "none"}),
        {"type": "function", "function": {"name": "f"}},
        {"type": "auto", "disable_parallel_tool_use": False},
    ],
    "reasoning_effort": ["none", "low", "high"],
    "thinking": [{"type": "enabled", "budget_tokens": 9}, {"thinkingBudget": 7}],
    "thinking_config": [{"thinkingBudget": 8}],
    "thinkingConfig": [{"thinkingLevel": "LOW"}],
    "response_format": [SCHEMA, {"type": "json_object"}, {"type": "text"}],
    "output_config": [{"effort": "max"}, {"format": {"type": "json_schema", "schema": {}}}, 7],
    "responseMimeType": ["text/plain"],
    "user": ["u"],
    "metadata": [{"user_id": "m"}, {"more": "x"}],
    "max_tokens": [5, 9, "x"],
    "max_completion_tokens": [7],
    "max_output_tokens": [6, 8],
    "maxOutputTokens": [4],
    "maxTokens": [3],
    "stop": ["a", ["b"]],
    "stop_sequences": [["c"]],
    "stopSequences": ["d"],
    "top_p": [0.5],
    "topP": [0.25],
    "logprobs": [True, 3],
    "top_logprobs": [2],
    "include": [["message.output_text.logprobs", "x"], ["y"]],
    "reasoning": [{"effort": "low", "summary": "auto"}, "x"],
    "reasoning_summary": ["detailed"],
    "verbosity": ["low"],
    "text": [{"verbosity": "high", "format": {"type": "text"}}],
    "safetySettings": [[{"category": "A"}]],
    "safety_settings": [[{"category": "B"}]],
    "seed": [1],
    "n": [2],
    "logit_bias": [{"1": 2}],
    "temperature": [0.5],
}
ARGS = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in VALUES.items()})


def sent(wire: Wire, args: dict[str, Any]) -> Any:
    """Return the body that is sent, or the error."""
    adjustments = Adjustments("m", wire.renames)
    try:
        request = ChatRequest((Message("hi"),), args, tools=(Tool("f"),))
        return wire.write(request, adjustments).body
    except ModelError as error:
        return str(error)


@pytest.mark.parametrize("api", WIRES)
@given(ARGS, st.randoms(use_true_random=False))
def test_any_order_sends_the_same(api: str, args: dict[str, Any], random: Any) -> None:
    names = [*args]
    random.shuffle(names)
    assert sent(WIRES[api], {name: args[name] for name in names}) == sent(WIRES[api], args)


@pytest.mark.parametrize("api", WIRES)
def test_any_order_of_a_few_sends_the_same(api: str) -> None:
    few = ("parallel_tool_calls", "tool_choice", "reasoning_effort", "thinking", "output_config")
    for value in VALUES["tool_choice"]:
        args = {name: VALUES[name][0] for name in few} | {"tool_choice": value}
        bodies = [sent(WIRES[api], dict(order)) for order in permutations(args.items())]
        assert all(body == bodies[0] for body in bodies)


@pytest.mark.parametrize(
    ("args", "choice"),
    [
        ({"tool_choice": "required"}, {"type": "any", "disable_parallel_tool_use": True}),
        ({}, {"type": "auto", "disable_parallel_tool_use": True}),
        ({"tool_choice": "none"}, {"type": "none"}),
        ({"tool_choice": {"type": "any"}}, {"type": "any", "disable_parallel_tool_use": True}),
    ],
)
def test_what_the_user_chose_is_no_default(args: dict[str, Any], choice: Any) -> None:
    for order in (
        {"parallel_tool_calls": False, **args},
        {**args, "parallel_tool_calls": False},
    ):
        assert sent(WIRES["anthropic"], order)["tool_choice"] == choice


def test_the_apis_own_args_are_the_last_word() -> None:
    args = {"output_config": {"effort": "max"}, "reasoning_effort": "low", "user": "u"}
    body = sent(WIRES["anthropic"], args | {"metadata": {"user_id": "m"}})
    assert (body["output_config"], body["metadata"]) == ({"effort": "max"}, {"user_id": "m"})
    args = {"thinkingConfig": {"thinkingBudget": 7}, "reasoning_effort": "low"}
    assert sent(WIRES["gemini"], args)["generationConfig"] == {
        "thinkingConfig": {"thinkingBudget": 7}
    }
