"""Chats in which the model is asked turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lve.errors import PromptError, TemplateError
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.turns import ChatTurns
from lve.messages import Message, Role
from lve.prompts.conversation import previewed

CHAT = [
    {"role": "user", "content": "a?"},
    {"role": "assistant", "content": "A"},
    {"role": "user", "content": "b?"},
    {"role": "assistant", "content": "B"},
]


class Written:
    """Chats with these turns, and what was written of them."""

    def __init__(self) -> None:
        self.texts: list[list[str]] = []

    def write(self, said: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        self.texts.append([message["content"] for message in said])
        return list(said)

    def turns(self, *, own_answers: bool, chat: Sequence[Mapping[str, Any]] = CHAT) -> ChatTurns:
        places = [n for n, message in enumerate(chat) if message["role"] == "assistant"]
        return ChatTurns(chat, places, "content", self.write, ModelFormat("api"), own_answers)


def test_a_request_repeats_the_answers_that_were_given() -> None:
    turns = Written().turns(own_answers=True)
    assert len(turns) == 2
    request = turns.request(["so"])
    assert request.messages == (
        Message("a?"),
        Message("so", Role.assistant),
        Message("b?"),
    )
    assert request.new_messages(turns.request([]), "so") == (Message("b?"),)


def test_a_dialogue_is_written_while_it_is_held_and_not_before() -> None:
    written = Written()
    [conversation] = written.turns(own_answers=True).conversations()
    assert written.texts == [["a?", "A", "b?"]], "the longest request, to see that it can be sent"
    assert conversation.turns is not None
    assert conversation.messages == ()


def test_a_given_history_makes_a_conversation_per_turn() -> None:
    written = Written()
    first, second = written.turns(own_answers=False).conversations()
    assert written.texts == [["a?"], ["a?", "A", "b?"]]
    assert (first.turns, first.name, second.name) == (None, "turn 1", "turn 2")


def test_a_preview_has_empty_answers() -> None:
    [conversation] = Written().turns(own_answers=True).conversations()
    shown = previewed(conversation)
    assert [message.content for message in shown.messages] == ["a?", None, "b?", None]
    assert [shown.messages[n].variable for n in shown.open_turns] == ["turn_1", "response"]


def test_a_later_turn_that_cannot_be_written_is_refused_before_the_first_is_asked() -> None:
    chat = [*CHAT[:2], {"role": "nobody", "content": "b?"}, CHAT[3]]
    with pytest.raises(PromptError, match="no chat server knows the role 'nobody'"):
        Written().turns(own_answers=True, chat=chat).conversations()


def test_a_chat_without_a_turn_of_the_model_is_refused() -> None:
    with pytest.raises(PromptError, match="no turn for the model"):
        Written().turns(own_answers=True, chat=CHAT[:1]).conversations()


def test_all_turns_together_are_limited_before_any_is_written() -> None:
    chat = [{"role": "user", "content": "y" * 100_000}, CHAT[1]] * 50
    written = Written()
    with pytest.raises(TemplateError, match="more than"):
        written.turns(own_answers=True, chat=chat).conversations()
    assert written.texts == []


def test_the_last_turn_counts_for_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.turns.MAX_INSTANCE_CHARACTERS", 400)
    written = Written()
    chat = [*CHAT[:2], {"role": "user", "content": "y" * 300}, CHAT[3]]
    with pytest.raises(TemplateError, match="more than 400 characters") as caught:
        written.turns(own_answers=True, chat=chat).conversations()
    assert caught.value.stage == "infer"
    assert written.texts == []
