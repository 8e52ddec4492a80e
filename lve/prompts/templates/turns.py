"""From what a model receives to conversations that the engine can hold."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any

from lve.errors import PromptError
from lve.messages import Message, Role
from lve.prompts.conversation import RESPONSE, Conversation, TurnRequest, TurnRequests
from lve.prompts.size import MAX_TOGETHER, Room, size_of
from lve.prompts.templates.model_format import ModelFormat

Requests = Generator[Any, str, None]
"""Yields what the model receives, turn by turn; is sent what it answers."""


def open_conversation(parsed: Any, model: ModelFormat, *, name: str | None = None) -> Conversation:
    """Return what a model receives as a conversation with one open turn at the end."""
    request = _request(parsed, model)
    return Conversation((*request.messages, _open(RESPONSE)), name, prompt=request.prompt)


def scored_conversation(label: Any, parsed: Any) -> Conversation:
    """Return what asks for the log-probabilities of a label's prompt. Its name is the label.

    Raises:
        PromptError: it isn't a text: chat servers don't score prompts.
    """
    if not isinstance(parsed, str):
        raise PromptError(
            "choosing by perplexity needs a model of kind `lm`: a chat server can't score prompts. "
            "Use such a model, or declare `fallback: generate` in the inferencer"
        )
    messages = (Message(parsed), _open(RESPONSE))
    return Conversation(messages, str(label), prompt=parsed, score=True)


def conversations_of_turns(
    turns: Callable[[], Requests], model: ModelFormat, *, own_answers: bool
) -> tuple[Conversation, ...]:
    """Return a row's turns.

    Args:
        turns: begins to yield what the model receives.
        model: how that becomes messages.
        own_answers: the model's answers go into the later turns, so that all of them are one
            conversation; otherwise each turn is a conversation of its own.

    Raises:
        PromptError: there is no turn, or no chat server takes its messages.
    """
    inputs = inputs_of_turns(turns())
    if not inputs:
        raise PromptError("the row has no turn for the model")
    if own_answers and len(inputs) > 1:
        return (_dialogue(inputs, turns, model),)
    return tuple(
        open_conversation(parsed, model, name=f"turn {n}" if len(inputs) > 1 else None)
        for n, parsed in enumerate(inputs, 1)
    )


def inputs_of_turns(requests: Requests) -> list[Any]:
    """Return what the model receives, turn by turn, if all its answers are empty.

    Raises:
        TemplateError: all turns together are too long.
    """
    inputs: list[Any] = []
    room = Room(MAX_TOGETHER, "infer")
    for parsed in _sent_empty_answers(requests):
        inputs.append(parsed)
        room.take(size_of(parsed))
    return inputs


def _sent_empty_answers(requests: Requests) -> Generator[Any, None, None]:
    try:
        parsed = next(requests)
        while True:
            yield parsed
            parsed = requests.send("")
    except StopIteration:
        return


def _dialogue(
    inputs: Sequence[Any], turns: Callable[[], Requests], model: ModelFormat
) -> Conversation:
    """Return all turns as one conversation.

    A chat model's answer is a message of its own: what comes later is known. Elsewhere the answers
    are woven into longer texts, which are written again for each turn.
    """
    messages: list[Message] = []
    before, is_woven = None, False
    for number, parsed in enumerate(inputs, 1):
        request = _request(parsed, model)
        is_woven = is_woven or (before is not None and not _answers_alone(before, request))
        messages += _new_messages(before, request, "")
        messages.append(_open(RESPONSE if number == len(inputs) else f"turn_{number}"))
        before = request
    requests = partial(_turn_requests, turns, model) if is_woven else None
    return Conversation(tuple(messages), requests=requests)


def _turn_requests(turns: Callable[[], Requests], model: ModelFormat) -> TurnRequests:
    """Write a dialogue anew from the model's answers."""
    requests = turns()
    parsed, before, answer = next(requests), None, ""
    while True:
        request = _request(parsed, model)
        new = _new_messages(before, request, answer)
        answer = yield TurnRequest(request.messages, request.prompt, new)
        before = request
        try:
            parsed = requests.send(answer)
        except StopIteration:
            return


def _answers_alone(before: TurnRequest, request: TurnRequest) -> bool:
    """Whether an (empty) answer is a message of its own in the request after it."""
    return request.prompt is None and request.messages[: len(before.messages) + 1] == (
        *before.messages,
        Message("", Role.assistant),
    )


def _new_messages(
    before: TurnRequest | None, request: TurnRequest, answer: str
) -> tuple[Message, ...]:
    """Return what a request says that the one before and its answer didn't; all of it where it
    doesn't begin with them."""
    if before is None:
        return request.messages
    if request.prompt is not None and before.prompt is not None:
        return (Message(request.prompt.removeprefix(before.prompt + answer)),)
    known = len(before.messages)
    goes_on = len(request.messages) > known and request.messages[:known] == before.messages
    return request.messages[known + 1 :] if goes_on else request.messages


def _request(parsed: Any, model: ModelFormat) -> TurnRequest:
    """Return what a model receives as messages, and as text where it takes texts."""
    messages = tuple(map(_message, model.messages(parsed)))
    is_text = model.kind == "lm" and isinstance(parsed, str)
    return TurnRequest(messages, str(parsed) if is_text else None)


def _open(variable: str) -> Message:
    return Message(role=Role.assistant, variable=variable)


def _message(message: Mapping[str, Any]) -> Message:
    try:
        role = Role(message["role"])
    except ValueError:
        raise PromptError(f"no chat server knows the role {message['role']!r}") from None
    content = message["content"]
    if isinstance(content, list):
        return Message(tuple(content), role)
    # An empty answer is an answer: only None would be an open turn.
    return Message("" if content is None else content, role)
