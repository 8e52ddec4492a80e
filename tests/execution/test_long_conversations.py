"""Conversations that grow with every answer end somewhere."""

from __future__ import annotations

import asyncio

import pytest

from lve.errors import PermanentModelError
from lve.execution.conversations.conversation import hold_conversation
from lve.messages import Completion, Message, Role, Transcript
from lve.models.chat_model import ChatRequest
from lve.prompts.conversation import Conversation


def hold(turns: int, characters: int) -> tuple[Transcript | PermanentModelError, int]:
    """Return what comes of a conversation, and how many requests it made."""
    sent = 0

    async def complete(request: ChatRequest) -> Completion:
        nonlocal sent
        sent += 1
        return Completion("x" * characters)

    opened = [Message(role=Role.assistant, variable=f"v{n}") for n in range(turns)]
    conversation = Conversation((Message("q"), *opened))
    try:
        return asyncio.run(hold_conversation(conversation, complete, args={})), sent
    except PermanentModelError as error:
        return error, sent


def test_a_hundred_turns_with_long_answers_are_held() -> None:
    transcript, sent = hold(100, 20_000)
    assert isinstance(transcript, Transcript)
    assert (sent, len(transcript.filled)) == (100, 100)


def test_one_long_answer_is_honest() -> None:
    transcript, _ = hold(1, 17_000_000)
    assert isinstance(transcript, Transcript)


@pytest.mark.parametrize(
    ("turns", "characters", "sent", "message"),
    [
        (5, 9_000_000, 2, "its messages would have more than 16,000,000 characters"),
        (1000, 20_000, 160, "its requests would send more than 256,000,000 characters together"),
    ],
)
def test_it_ends_before_it_is_too_long(
    turns: int, characters: int, sent: int, message: str
) -> None:
    error, requests = hold(turns, characters)
    assert isinstance(error, PermanentModelError)
    assert (error.kind, error.was_sent) == ("too_long", False)
    assert message in str(error)
    assert abs(requests - sent) <= 1
