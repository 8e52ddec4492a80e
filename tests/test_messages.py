"""Messages and completions are equal by value, small, and copied with `replace`."""

from __future__ import annotations

import json
from dataclasses import replace

from lve.messages import Completion, Message, Role, ToolCall, Usage


def test_messages_with_the_same_content_are_equal() -> None:
    assert Message("hi") == Message("hi", Role.user)
    assert Message("hi") != Message("hi", Role.system)


def test_another_one_is_made_with_replace() -> None:
    made = replace(Completion("a", usage=Usage(1, 2)), text="b")
    assert made == Completion("b", usage=Usage(1, 2))


def test_there_is_no_room_for_other_attributes() -> None:
    assert not hasattr(Message("hi"), "__dict__")


def test_a_message_with_calls_comes_back_from_json() -> None:
    call = ToolCall("c1", "weather", "{}")
    for message in (
        Message("x", Role.assistant, "response", tool_calls=(call, call)),
        Message("sunny", Role.tool, tool_call_id="c1"),
        Message(None, Role.assistant),
    ):
        assert Message.from_json(json.loads(json.dumps(message.to_json()))) == message
