"""Holding a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lve.errors import PermanentModelError
from lve.execution.conversations.conversation import hold_conversation
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.prompts.conversation import Conversation, TurnRequest


def open_turn(variable: str | None = None) -> Message:
    return Message(role=Role.assistant, variable=variable)


class Echo:
    """Answers with what it was sent last, and keeps the requests."""

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Completion:
        self.requests.append(request)
        number = len(self.requests)
        return Completion(f"{number}: {request.messages[-1].content}", usage=Usage(number, 1))


def hold(*messages: Message, **options: Any) -> tuple[Transcript, list[ChatRequest]]:
    model = Echo()
    conversation = Conversation(messages, "name")
    options = {"args": {}, **options}
    transcript = asyncio.run(hold_conversation(conversation, model.complete, **options))
    return transcript, model.requests


def test_each_turn_is_asked_with_everything_before_it() -> None:
    given = (Message("q"), open_turn("a"), Message("then"), Message("f", Role.assistant))
    transcript, requests = hold(*given, open_turn())
    assert [message.content for message in transcript.messages] == [
        "q", "1: q", "then", "f", "2: f",
    ]  # fmt: skip
    assert [len(request.messages) for request in requests] == [1, 4]
    assert requests[1].messages == transcript.messages[:4]
    assert transcript.variables == {"a": "1: q", "1": "2: f"}
    assert transcript.filled == (1, 4)
    assert transcript.response == "2: f"
    assert transcript.name == "name"
    assert [completion.usage for completion in transcript.completions] == [Usage(1, 1), Usage(2, 1)]


def test_requests_carry_the_options() -> None:
    options = {"args": {"seed": 1}, "repeat": 2, "stream": True, "timeout_s": 3.0}
    _, requests = hold(Message("q"), open_turn(), **options)
    assert requests[0] == ChatRequest((Message("q"),), {"seed": 1}, 2, True, 3.0)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ("r", [None, "r"]),
        ({"a": "x", "b": "y"}, ["x", "y"]),
        ({"a": "x"}, ["x", None]),
        (None, [None, None]),
    ],
)
def test_recorded_answers_go_to_their_turns(
    recorded: str | Mapping[str, str] | None, expected: list[str | None]
) -> None:
    turns = (Message("q"), open_turn("a"), Message("s"), open_turn("b"))
    _, requests = hold(*turns, recorded=recorded)
    assert [request.recorded for request in requests] == expected


def test_a_failure_ends_the_conversation() -> None:
    async def fail(request: ChatRequest) -> Completion:
        raise PermanentModelError("no", kind="bad_request")

    conversation = Conversation((Message("q"), open_turn()))
    with pytest.raises(PermanentModelError):
        asyncio.run(hold_conversation(conversation, fail, args={}))


class TextTurns:
    """A dialogue of three turns whose requests are one text each."""

    def __len__(self) -> int:
        return 3

    def request(self, answers: Sequence[str]) -> TurnRequest:
        said = "".join(f"[{q}]{answer}" for q, answer in zip(("a?", "b?"), answers, strict=False))
        text = f"{said}[{'abc'[len(answers)]}?]"
        return TurnRequest((Message(text),), text)


def written_dialogue() -> Conversation:
    return Conversation((), turns=TextTurns())


def test_a_dialogue_is_written_anew_from_the_answers() -> None:
    model = Echo()
    options: dict[str, Any] = {"args": {"seed": 1}, "repeat": 2, "stream": True, "timeout_s": 3.0}
    options["recorded"] = {"turn_1": "old x", "response": "old z"}
    transcript = asyncio.run(hold_conversation(written_dialogue(), model.complete, **options))
    assert model.requests[0] == ChatRequest(
        (Message("[a?]"),), {"seed": 1}, 2, True, 3.0, recorded="old x", prompt="[a?]"
    )
    assert [request.prompt for request in model.requests[:2]] == ["[a?]", "[a?]1: [a?][b?]"]
    assert [request.recorded for request in model.requests] == ["old x", None, "old z"]
    assert [m.content for m in transcript.messages[:4]] == [
        "[a?]", "1: [a?]", "[b?]", "2: [a?]1: [a?][b?]",
    ]  # fmt: skip
    assert list(transcript.variables) == ["turn_1", "turn_2", "response"]
    assert (transcript.filled, len(transcript.completions)) == ((1, 3, 5), 3)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, [None, None, None]),
        ("r", [None, None, "r"]),
        ({"turn_1": "x"}, ["x", None, None]),
        ({"turn_2": "x", "response": "y"}, [None, "x", "y"]),
    ],
)
def test_recorded_answers_of_a_dialogue_go_to_their_turns(
    recorded: str | Mapping[str, str] | None, expected: list[str | None]
) -> None:
    model = Echo()
    held = hold_conversation(written_dialogue(), model.complete, args={}, recorded=recorded)
    asyncio.run(held)
    assert [request.recorded for request in model.requests] == expected


def test_a_written_dialogue_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.execution.conversations.history.MAX_CHARACTERS", 80)
    with pytest.raises(PermanentModelError, match="too long"):
        asyncio.run(hold_conversation(written_dialogue(), Echo().complete, args={}))
