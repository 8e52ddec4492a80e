"""`ScriptedModel`, the model for users' own offline tests."""

from __future__ import annotations

import asyncio

import pytest

from lve.errors import (
    ContentFilteredError,
    ModelError,
    PermanentModelError,
    SettingsError,
    TransientModelError,
)
from lve.messages import Completion, Message, Role, Usage
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.scripted import ERRORS, ScriptedAnswer, ScriptedModel, script_from_data


def ask(model: ChatModel, *prompts: str, stream: bool = False) -> list[Completion]:
    async def run() -> list[Completion]:
        return [
            await model.complete(ChatRequest((Message(text),), stream=stream)) for text in prompts
        ]

    return asyncio.run(run())


def texts(model: ChatModel, *prompts: str) -> list[str]:
    return [completion.text for completion in ask(model, *prompts)]


def test_a_list_is_read_in_order_and_ends() -> None:
    model = ScriptedModel(["one", ScriptedAnswer("two")])
    assert texts(model, "x", "x") == ["one", "two"]
    with pytest.raises(PermanentModelError, match=r"no answer left \(2 in all\)"):
        ask(model, "x")


def test_a_mapping_goes_by_the_last_user_message() -> None:
    model = ScriptedModel({"a": "1", "b": "2"}, default="?")
    assert texts(model, "b", "a", "c") == ["2", "1", "?"]
    with pytest.raises(PermanentModelError, match="no answer to 'c'"):
        ask(ScriptedModel({"a": "1"}), "c")


def test_earlier_turns_do_not_count_for_a_mapping() -> None:
    messages = (Message("a"), Message("1", Role.assistant), Message("b"))
    model = ScriptedModel({"a": "1", "b": "2"})
    assert asyncio.run(model.complete(ChatRequest(messages))).text == "2"


def test_a_function_sees_the_whole_request() -> None:
    model = ScriptedModel(lambda request: f"{request.messages[-1].content}!")
    assert texts(model, "hey") == ["hey!"]
    assert model.requests[0].messages[0].content == "hey"


@pytest.mark.parametrize("kind", ERRORS)
def test_an_answer_can_be_a_failure(kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        ask(ScriptedModel([ScriptedAnswer(error=kind, retry_after_s=2.0)]), "x")
    assert (caught.value.kind, caught.value.retry_after_s) == (kind, 2.0)
    assert isinstance(caught.value, ERRORS[kind])


def test_an_error_of_ones_own_is_raised_as_it_is() -> None:
    error = TransientModelError("own", kind="own")
    with pytest.raises(TransientModelError) as caught:
        ask(ScriptedModel([error]), "x")
    assert caught.value is error


def test_an_answer_can_take_time_and_come_in_pieces() -> None:
    answer = ScriptedAnswer(chunks=("a", "b"), delay_s=0.01, usage=Usage(1, 2))
    found = ask(ScriptedModel([answer]), "x", stream=True)[0]
    assert (found.text, found.usage) == ("ab", Usage(1, 2))
    assert found.latency_s >= 0.009
    assert found.first_token_s is not None


def test_scripts_read_from_data() -> None:
    script, default = script_from_data(
        ["text", 4, {"text": "slow", "delay_s": 0}, {"error": "content_filter"}], "answers"
    )
    model = ScriptedModel(script, default=default)
    assert texts(model, "x", "x", "x") == ["text", "4", "slow"]
    with pytest.raises(ContentFilteredError):
        ask(model, "x")
    script, default = script_from_data({"a": "1", "default": {"text": "else"}}, "answers")
    assert texts(ScriptedModel(script, default=default), "a", "b") == ["1", "else"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("text", "answers: the answers must be a list or a mapping"),
        ([None], r"answers\[0\]: an answer must be a text or a mapping"),
        ([True], r"answers\[0\]: an answer must be"),
        ([{"txt": "x"}], "unknown key 'txt'"),
        ([{"error": "rate limit"}], "unknown error 'rate limit'"),
        ([{"error": ["x"]}], "unknown error"),
        ([{"chunks": "abc"}], "chunks must be a list of texts"),
        ([{"delay_s": "1"}], "delay_s must be a number"),
        ([{"delay_s": -1}], "delay_s must be a number"),
        ([{"text": ["x"]}], "text must be a text"),
        ([{"finish_reason": 3}], "finish_reason must be a text"),
        ({"a": []}, r"answers\.a: an answer must be in the list"),
    ],
)
def test_data_of_another_form_is_refused(data: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        script_from_data(data, "answers")


def test_a_streamed_answer_is_heard_in_its_pieces() -> None:
    heard: list[str] = []
    model = ScriptedModel([ScriptedAnswer(chunks=("a", "b")), "c", "d"])
    for stream in (True, True, False):
        asyncio.run(model.complete(ChatRequest(stream=stream, listen=lambda: heard.append)))
    assert heard == ["a", "b", "c"]
