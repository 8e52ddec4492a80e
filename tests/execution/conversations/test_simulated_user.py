"""Conversations whose user is played by a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from lve.execution.conversations.conversation import hold_conversation
from lve.execution.conversations.simulated_user import BEGIN, SILENCE, seen_by_user
from lve.messages import Message, Role, ToolCall, Transcript
from lve.models.replay import ReplayModel
from lve.models.scripted import Script, ScriptedAnswer, ScriptedModel
from lve.prompts.conversation import Conversation
from lve.prompts.tools.toolbox import Toolbox
from lve.spec.recorded_row import RecordedTurn
from lve.spec.simulated_user import SimulatedUser
from lve.spec.tools import tool_use

TURN = Message(role=Role.assistant, variable="response")
PROMPT = (Message("Be kind.", Role.system), Message("Hello"), TURN)
USER = SimulatedUser("You are Ann.", max_turns=3, ends_with="BYE")
CALL = ToolCall("a", "look", "{}")


class Player:
    """Says what a test gives it, and keeps what it was sent."""

    def __init__(self, says: Sequence[str]) -> None:
        self.says = list(says)
        self.seen: list[tuple[Message, ...]] = []

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        self.seen.append(messages)
        return self.says.pop(0)


def hold(
    script: Script, says: Sequence[str], *, user: SimulatedUser = USER, **more: Any
) -> tuple[Transcript, Player, ScriptedModel]:
    model, player = ScriptedModel(script), Player(says)
    conversation = Conversation(more.pop("messages", PROMPT), user=user, **more)
    held = hold_conversation(conversation, model.complete, args={}, say=player)
    return asyncio.run(held), player, model


def said(messages: Sequence[Message]) -> list[tuple[str, Any]]:
    return [(message.role.value, message.content) for message in messages]


def looking(mocks: Any) -> Toolbox:
    use = tool_use({"tools": [{"name": "look"}], "mocks": mocks})
    assert use is not None
    return Toolbox(use.tools, use.mocks, 1)


def test_user_and_model_talk_until_the_user_ends_it() -> None:
    transcript, player, model = hold(["One.", "Two."], ["Why?", "I see, BYE"])
    assert said(transcript.messages) == [
        ("system", "Be kind."),
        ("user", "Hello"),
        ("assistant", "One."),
        ("user", "Why?"),
        ("assistant", "Two."),
    ]
    assert transcript.variables == {"turn_1": "One.", "response": "Two."}
    assert transcript.messages[3].variable == "user_1"
    assert model.requests[1].messages == transcript.messages[:4]
    assert not model.requests[1].tools
    task, *seen = said(player.seen[1])
    assert task[0] == "system"
    assert task[1].startswith("You play a person")
    assert "You are Ann." in task[1]
    assert task[1].endswith("write only: BYE")
    assert seen == [
        ("user", BEGIN),
        ("assistant", "Hello"),
        ("user", "One."),
        ("assistant", "Why?"),
        ("user", "Two."),
    ]


def test_the_user_speaks_at_most_so_often() -> None:
    transcript, player, _ = hold(["One.", "Two.", "Three.", "Four."], ["a", "b", "c"])
    assert list(transcript.variables) == ["turn_1", "turn_2", "turn_3", "response"]
    assert len(player.seen) == 3


@pytest.mark.parametrize("text", ["", " \n", "BYE"])
def test_a_user_who_says_nothing_ends_it(text: str) -> None:
    transcript, _, _ = hold(["One."], [text])
    assert transcript.answer == "One."
    assert transcript.response == "One."


def test_without_a_last_word_only_silence_ends_it() -> None:
    transcript, player, _ = hold(["One.", "Two."], ["BYE", ""], user=SimulatedUser("x"))
    assert len(transcript.answers) == 2
    assert player.seen[0][0].content.endswith("x")  # type: ignore[union-attr]  # a text


def test_names_of_the_prompts_own_answers_stay() -> None:
    first = Message(role=Role.assistant, variable="turn_1")
    messages = (Message("Hello"), first, Message("And?"), TURN)
    transcript, _, _ = hold(["One.", "Two.", "Three."], ["Hm", "BYE"], messages=messages)
    assert transcript.variables == {"turn_1": "One.", "turn_2": "Two.", "response": "Three."}


def test_calls_of_tools_are_none_of_the_users_business() -> None:
    asks = ScriptedAnswer("Wait.", tool_calls=(CALL,), finish_reason="tool_calls")
    script = [asks, "One.", asks, "Two."]
    box = looking({"look": {"result": "a lamp"}})
    transcript, player, _ = hold(script, ["Why?", "BYE"], toolbox=box)
    assert [role for role, _ in said(transcript.messages)] == [
        *("system", "user", "assistant", "tool", "assistant"),
        *("user", "assistant", "tool", "assistant"),
    ]
    assert transcript.variables == {"turn_1": "One.", "response": "Two."}
    assert said(player.seen[0])[2:] == [("assistant", "Hello"), ("user", "Wait.\n\nOne.")]


def test_a_model_that_calls_too_often_is_told_so_and_the_answer_stays_the_last_message() -> None:
    asks = ScriptedAnswer("Wait.", tool_calls=(CALL,), finish_reason="tool_calls")
    box = looking({"look": {"result": "a lamp"}})
    transcript, _, _ = hold([asks, asks, "Two."], ["Why?", "BYE"], toolbox=box)
    assert transcript.variables == {"turn_1": "Wait.", "response": "Two."}
    assert ("tool", "Error: no more calls are answered") in said(transcript.messages)
    ended, _, _ = hold([asks, asks], ["BYE"], toolbox=box)
    assert ended.response == "Wait."
    assert ended.messages[-1].variable == "response"


def test_calls_in_the_very_last_turn_end_the_conversation() -> None:
    asks = ScriptedAnswer("Wait.", tool_calls=(CALL,), finish_reason="tool_calls")
    box = looking({"look": {"result": "a lamp"}})
    user = SimulatedUser("x", max_turns=1)
    transcript, _, _ = hold(["One.", asks, asks], ["Why?"], toolbox=box, user=user)
    assert transcript.response == "Wait."
    assert transcript.messages[-1].tool_calls


def test_a_recording_is_said_again() -> None:
    turns = [RecordedTurn("One.", user="Why?"), RecordedTurn("Two.")]
    conversation = Conversation(PROMPT, user=USER)
    model = ReplayModel()
    held = hold_conversation(conversation, model.complete, args={}, replayed=turns)
    transcript = asyncio.run(held)
    assert [content for _, content in said(transcript.messages)][2:] == ["One.", "Why?", "Two."]


def test_parts_that_are_no_texts_are_named() -> None:
    parts = [{"type": "text", "text": "See:"}, {"type": "image", "image": "red.png"}]
    seen = seen_by_user(USER, (Message(parts), Message("Red.", Role.assistant)))
    assert said(seen)[2:] == [("assistant", "See:\n[image]"), ("user", "Red.")]


def test_the_user_hears_that_the_model_says_nothing() -> None:
    _, player, _ = hold(["", " ", "Done."], ["Hm?", "Hello?", "BYE"])
    assert said(player.seen[0])[2:] == [("assistant", "Hello"), ("user", SILENCE)]
    assert said(player.seen[1])[4:] == [("assistant", "Hm?"), ("user", SILENCE)]


def test_calls_without_a_word_are_silence_to_the_user() -> None:
    asks = ScriptedAnswer("", tool_calls=(CALL,), finish_reason="tool_calls")
    box = looking({"look": {"result": "a lamp"}})
    _, player, _ = hold([asks, asks], ["BYE"], toolbox=box)
    assert said(player.seen[0])[2:] == [("assistant", "Hello"), ("user", SILENCE)]
