"""Requests of a run of HELM: what was asked, what is right, what was answered."""

from __future__ import annotations

from typing import Any

import pytest

from lve.extensions.importing.helm import states
from lve.extensions.importing.helm.checks import NoCounterpartError
from lve.extensions.importing.helm.states import requests_of

RIGHT = [{"output": {"text": " x\n"}, "tags": ["correct"]}, {"output": {"text": "y"}, "tags": []}]
INSTANCE = {"input": {"text": "?"}, "references": RIGHT, "id": "id1", "split": "test"}
STATE = {"instance": INSTANCE, "request": {"prompt": "?", "model": "openai/gpt2"}}


def read(**more: Any) -> Any:
    [request], why = requests_of([{**STATE, **more}])
    assert why == {}
    return request


def test_a_prompt_is_a_message_of_a_user() -> None:
    request = read()
    assert (request.texts, request.roles) == ({"prompt": "?"}, ("user",))
    assert (request.golds, request.answer, request.has_options) == (("x",), None, False)
    assert (request.split, request.id, request.model) == ("test", "id1", "openai/gpt2")


def test_messages_have_columns() -> None:
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]
    request = read(request={"messages": messages})
    assert request.roles == ("system", "user", "assistant", "user")
    assert [*request.texts] == ["message_1", "message_2", "message_3", "message_4"]
    assert request.model == "unknown"


def test_the_likeliest_answer_counts() -> None:
    def answer(*completions: Any) -> Any:
        return read(result={"completions": [*completions]}).answer

    assert answer({"text": "a", "logprob": -2.0}, {"text": "b", "logprob": -1}) == "b"
    assert answer({"text": "a", "logprob": -1}, {"text": "b", "logprob": -1}) == "a"
    assert answer({"text": "a"}, {"text": "b", "logprob": "x"}, 3) == "a"
    assert answer({}) == ""
    assert answer() is None


def test_settings_are_those_of_the_request() -> None:
    own = {"temperature": 0.5, "max_tokens": 9, "stop_sequences": [], "top_p": 1}
    assert read(request={"prompt": "?", **own}).model_args == {"temperature": 0.5, "max_tokens": 9}
    own = {"stop_sequences": ["\n"], "top_p": 0.9, "presence_penalty": 0, "frequency_penalty": 1}
    args = read(request={"prompt": "?", **own}).model_args
    assert args == {"stop": ["\n"], "top_p": 0.9, "frequency_penalty": 1}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"instance": {**INSTANCE, "perturbation": {"name": "typos"}}}, "with a perturbation"),
        ({"instance": {**INSTANCE, "references": []}}, "without right answers"),
        ({"instance": {**INSTANCE, "references": [*RIGHT, {"tags": ["correct"]}]}}, "an empty one"),
        ({"instance": {**INSTANCE, "input": {"multimodal_content": {"x": 1}}}}, "images or sounds"),
        ({"instance": 3}, "without right answers"),
        ({"request": {"multimodal_prompt": {"x": 1}}}, "images or sounds"),
        ({"request": {"messages": [{"role": "tool"}]}}, "messages that aren't texts"),
        ({"request": {"messages": 3}}, "without 1 to 50 messages"),
        ({"request": {"messages": [{"role": "user", "content": "x"}] * 51}}, "1 to 50 messages"),
        ({"request": {"messages": [{"role": "assistant", "content": "x"}]}}, "the last of a user"),
        ({"output_mapping": {f"{n}": "x" for n in range(101)}}, "more than 100 options"),
    ],
)
def test_requests_that_are_left_out_are_counted(more: dict[str, Any], why: str) -> None:
    requests, reasons = requests_of([{**STATE, **more}, STATE, {**STATE, **more}])
    assert len(requests) == 1
    [(reason, number)] = reasons.items()
    assert why in reason
    assert number == 2


def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MAX_REQUESTS", 1)
    for value in ([STATE, STATE], None, {}):
        with pytest.raises(NoCounterpartError, match="no list of at most 1"):
            requests_of(value)
