"""Turns in which the model asks for tools."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import PermanentModelError
from lve.execution.conversations.conversation import hold_conversation
from lve.messages import Message, Role, ToolCall, Transcript
from lve.models.replay import ReplayModel
from lve.models.scripted import Script, ScriptedAnswer, ScriptedModel
from lve.prompts.conversation import Conversation
from lve.prompts.tools.toolbox import Toolbox
from lve.spec.recorded_row import RecordedTurn
from lve.spec.tools import tool_use

ROME = ToolCall("a", "weather", '{"city": "Rome"}')
TURN = Message(role=Role.assistant, variable="response")
SUN = {"weather": {"args": {"city": "Rome"}, "result": "sun"}}


def asks(*calls: ToolCall, text: str = "") -> ScriptedAnswer:
    return ScriptedAnswer(text, tool_calls=calls, finish_reason="tool_calls")


def toolbox(mocks: Any = SUN, max_turns: int = 10) -> Toolbox:
    use = tool_use({"tools": [{"name": "weather"}], "mocks": mocks} if mocks is not None else
                   {"tools": [{"name": "weather"}]})  # fmt: skip
    assert use is not None
    return Toolbox(use.tools, use.mocks, max_turns)


def hold(
    script: Script, *messages: Message, box: Toolbox | None = None, **options: Any
) -> tuple[Transcript, ScriptedModel]:
    model = ScriptedModel(script)
    given = messages or (Message("Weather?"), TURN)
    conversation = Conversation(given, "n", toolbox=box or toolbox())
    options = {"args": {"seed": 1}, **options}
    return asyncio.run(hold_conversation(conversation, model.complete, **options)), model


def contents(transcript: Transcript) -> list[Any]:
    return [(str(message.role), message.content) for message in transcript.messages]


def test_calls_are_answered_until_the_model_answers() -> None:
    transcript, model = hold([asks(ROME, text="Hm."), "Sunny."], repeat=3)
    assert contents(transcript) == [
        ("user", "Weather?"), ("assistant", "Hm."), ("tool", "sun"), ("assistant", "Sunny."),
    ]  # fmt: skip
    assert transcript.messages[1].tool_calls == (ROME,)
    assert transcript.messages[2].tool_call_id == "a"
    assert transcript.filled == (1, 3)
    assert transcript.variables == {"response": "Sunny."}
    assert transcript.answers == ["Sunny."]
    assert transcript.name == "n"
    assert [one.tool_calls for one in transcript.completions] == [(ROME,), ()]
    assert [request.messages for request in model.requests] == [
        transcript.messages[:1], transcript.messages[:3],
    ]  # fmt: skip
    for request in model.requests:
        assert [tool.name for tool in request.tools] == ["weather"]
        assert (request.args, request.repeat) == ({"seed": 1}, 3)


def test_several_calls_of_one_answer_are_answered_in_order() -> None:
    oslo = ToolCall("b", "weather", '{"city": "Oslo"}')
    warnings: list[str] = []
    transcript, _ = hold([asks(oslo, ROME), "x"], warn_of_call=warnings.append)
    results = [(one.tool_call_id, one.content) for one in transcript.messages[2:4]]
    assert results == [("b", "Error: weather has no result for these arguments"), ("a", "sun")]
    assert warnings == ['no mock of weather answers {"city": "Oslo"}']


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"'])
def test_whatever_the_model_calls_is_answered(text: str) -> None:
    odd = [ToolCall("", "nothing", text), ToolCall("", "weather", text)]
    transcript, _ = hold([asks(*odd), "x"])
    assert all(str(one.content).startswith("Error: ") for one in transcript.messages[2:4])
    assert transcript.response == "x"


def test_calls_get_ids_that_differ() -> None:
    script = [asks(ROME._replace(id=""), ROME), asks(ROME, ROME._replace(id="call_1")), "x"]
    transcript, _ = hold(script)
    ids = [call.id for message in transcript.messages for call in message.tool_calls]
    assert ids == ["call_1", "a", "a_3", "call_1_4"]
    results = [one.tool_call_id for one in transcript.messages if one.role is Role.tool]
    assert results == ids
    assert [c.id for one in transcript.completions for c in one.tool_calls] == ids


def test_a_model_that_never_stops_is_stopped() -> None:
    transcript, model = hold([asks(ROME)] * 9, box=toolbox(max_turns=3))
    assert len(model.requests) == 4
    assert transcript.messages[-1].tool_calls
    assert transcript.response == ""
    assert transcript.variables == {"response": ""}


def test_without_mocks_a_turn_ends_with_its_calls() -> None:
    transcript, model = hold([asks(ROME)], box=toolbox(None))
    assert len(model.requests) == 1
    assert transcript.messages[-1].tool_calls == (ROME,)


def test_what_is_said_later_finds_no_call_unanswered() -> None:
    given = (Message("q"), Message(role=Role.assistant, variable="a"), Message("r"), TURN)
    transcript, model = hold(
        [asks(ROME)] * 2 + [asks(ROME), "end"], *given, box=toolbox(max_turns=1)
    )
    assert [str(message.role) for message in model.requests[2].messages] == [
        "user", "assistant", "tool", "assistant", "tool", "user",
    ]  # fmt: skip
    assert transcript.messages[4].content == "Error: no more calls are answered"
    assert transcript.variables == {"a": "", "response": "end"}


def test_every_open_turn_may_ask() -> None:
    given = (Message("q"), Message(role=Role.assistant, variable="a"), Message("r"), TURN)
    transcript, _ = hold([asks(ROME), "one", asks(ROME), "two"], *given)
    assert transcript.variables == {"a": "one", "response": "two"}
    assert transcript.filled == (1, 3, 5, 7)


def test_what_was_recorded_is_replayed_with_its_results() -> None:
    first = RecordedTurn("Hm.", (ROME,), ("rain",))
    turns = (first, RecordedTurn("Wet."))
    model = ReplayModel()
    conversation = Conversation((Message("q"), TURN), toolbox=toolbox())
    held = hold_conversation(conversation, model.complete, args={}, replayed=turns)
    transcript = asyncio.run(held)
    assert [said for _, said in contents(transcript)] == ["q", "Hm.", "rain", "Wet."]
    assert transcript.messages[1].tool_calls == (ROME,)


def test_a_replay_ends_where_the_recording_did() -> None:
    conversation = Conversation((Message("q"), TURN), toolbox=toolbox())
    turns = [RecordedTurn("", (ROME,))]
    held = hold_conversation(conversation, ReplayModel().complete, args={}, replayed=turns)
    assert asyncio.run(held).messages[-1].tool_calls == (ROME,)
    short = [RecordedTurn("", (ROME,), ("x",))]
    given: dict[str, Any] = {"replayed": short, "recorded": "an answer to something else"}
    held = hold_conversation(conversation, ReplayModel().complete, args={}, **given)
    with pytest.raises(PermanentModelError, match="no completion is recorded"):
        asyncio.run(held)


def test_an_answer_written_by_hand_is_replayed_without_calls() -> None:
    conversation = Conversation((Message("q"), TURN), toolbox=toolbox())
    held = hold_conversation(conversation, ReplayModel().complete, args={}, recorded="Sunny.")
    assert asyncio.run(held).response == "Sunny."


def test_an_answer_may_be_late() -> None:
    late = {"weather": {"result": "x", "delay_s": 0.05}}
    started = time.monotonic()
    hold([asks(ROME), "x"], box=toolbox(late))
    assert time.monotonic() - started >= 0.05


def test_a_conversation_that_grows_without_end_is_ended() -> None:
    huge = {"weather": {"result": "x" * 9_000_000}}
    with pytest.raises(PermanentModelError, match="too long"):
        hold([asks(ROME)] * 9, box=toolbox(huge))


def test_later_messages_repeat_answers_of_turns_with_calls(tmp_path: Path) -> None:
    given = [
        {"content": "q"}, {"role": "assistant", "variable": "sky"}, {"content": "Why {sky}?"},
    ]  # fmt: skip
    plan = make_plan(tmp_path, prompt=given, tools=[{"name": "weather"}], mocks=SUN)
    (conversation,) = plan.preview(instance())
    model = ScriptedModel([asks(ROME), "blue", "Air."])
    transcript = asyncio.run(hold_conversation(conversation, model.complete, args={}))
    assert [said for _, said in contents(transcript)] == [
        "q", "", "sun", "blue", "Why blue?", "Air.",
    ]  # fmt: skip
    assert model.requests[2].messages[-1].content == "Why blue?"
