"""From what a model receives to conversations that the engine can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import PromptError
from lve.messages import Message, Role
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.inferencers import Requests
from lve.prompts.model_format import ModelFormat


def open_conversation(parsed: Any, model: ModelFormat, *, name: str | None = None) -> Conversation:
    """Return what a model receives as a conversation with one open turn at the end."""
    messages = map(_message, model.messages(parsed))
    is_text = model.kind == "lm" and isinstance(parsed, str)
    prompt = str(parsed) if is_text else None
    return Conversation((*messages, _open(RESPONSE)), name, prompt=prompt)


def scored_conversation(label: Any, parsed: Any, model: ModelFormat) -> Conversation:
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


def conversation_of_turns(
    requests: Requests, model: ModelFormat, own_answers: bool
) -> tuple[Conversation, ...]:
    """Return a row's turns.

    Args:
        requests: yields what the model receives, turn by turn.
        model: how that becomes messages.
        own_answers: the model's answers go into the later turns, so that all of them are one
            conversation; otherwise each turn is a conversation of its own.

    Raises:
        PromptError: the answers are woven into the text of later turns, or there is no turn.
    """
    inputs = _all_inputs(requests)
    if not inputs:
        raise PromptError("the row has no turn for the model")
    if own_answers and len(inputs) > 1:
        return (_one_conversation(model.messages(inputs[-1]), len(inputs)),)
    return tuple(
        open_conversation(parsed, model, name=f"turn {n}" if len(inputs) > 1 else None)
        for n, parsed in enumerate(inputs, 1)
    )


def _one_conversation(messages: Sequence[Mapping[str, Any]], turns: int) -> Conversation:
    waiting = [_stand_in(n) for n in range(turns - 1)]
    result: list[Message] = []
    for message in messages:
        content = message["content"]
        if content in waiting:
            waiting.remove(content)
            result.append(_open(f"turn_{turns - 1 - len(waiting)}"))
        elif isinstance(content, str) and any(stand_in in content for stand_in in waiting):
            break
        else:
            result.append(_message(message))
    if waiting:
        raise PromptError(
            "the meta template writes the model's answers into a longer text; a dialogue in which "
            "the model speaks several times needs a chat model"
        )
    return Conversation((*result, _open(RESPONSE)))


def _all_inputs(requests: Requests) -> list[Any]:
    inputs: list[Any] = []
    while True:
        try:
            inputs.append(requests.send(_stand_in(len(inputs) - 1) if inputs else None))
        except StopIteration:
            return inputs


def _stand_in(turn: int) -> str:
    # Private use characters: no data set has them by accident, and a model never sees them.
    return f"\ue000answer {turn}\ue001"


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
