from __future__ import annotations

import asyncio

import pytest

from lve.errors import PermanentModelError
from lve.messages import Message, ToolCall
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.replay import ReplayModel


def test_what_was_recorded_is_said_again() -> None:
    model = ReplayModel()
    assert isinstance(model, ChatModel)
    request = ChatRequest((Message("x"),), recorded="as it was")
    assert asyncio.run(model.complete(request)).text == "as it was"


def test_an_empty_recording_is_one() -> None:
    request = ChatRequest((Message("x"),), recorded="")
    assert asyncio.run(ReplayModel().complete(request)).text == ""


@pytest.mark.parametrize("calls", [(), (ToolCall("c", "f", "{}"),)])
def test_an_answer_ended_by_itself_or_with_calls(calls: tuple[ToolCall, ...]) -> None:
    request = ChatRequest((Message("x"),), recorded="x", recorded_calls=calls)
    completion = asyncio.run(ReplayModel().complete(request))
    assert completion.finish_reason == ("tool_calls" if calls else "stop")
    assert (completion.tool_calls, completion.model) == (calls, "replay")


def test_nothing_recorded_says_how_to_record() -> None:
    with pytest.raises(PermanentModelError, match="lve record") as caught:
        asyncio.run(ReplayModel().complete(ChatRequest((Message("x"),))))
    assert caught.value.kind == "not_recorded"
