"""Holding one conversation: the open turns are filled one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lve.messages import Completion, Message, Transcript
from lve.models.base import ChatRequest
from lve.prompts.conversation import Conversation

Complete = Callable[[ChatRequest], Awaitable[Completion]]
"""Gets one completion. Pace, retries, cache and budget are behind it."""


async def hold_conversation(
    conversation: Conversation,
    complete: Complete,
    *,
    args: Mapping[str, Any],
    repeat: int = 0,
    recorded: str | Mapping[str, str] | None = None,
    stream: bool = False,
    timeout_s: float | None = None,
) -> Transcript:
    """Fill the open turns of a conversation in order; each request holds everything before it.

    Args:
        conversation: what to say.
        complete: gets one completion.
        args: model args.
        repeat: which repeat of the instance this is, from 0.
        recorded: what was answered before: the last answer's text, or variable -> text.
        stream: whether to ask for streamed answers.
        timeout_s: seconds that one attempt may take.

    Raises:
        ModelError: a completion could not be had.
        BudgetError: a completion could not be paid.
    """
    messages = list(conversation.messages)
    turns = list(conversation.open_turns)
    last = turns[-1]
    completions: list[Completion] = []
    for index in turns:
        turn = messages[index]
        variable = turn.variable or str(len(completions))
        request = ChatRequest(
            tuple(messages[:index]),
            args,
            repeat=repeat,
            stream=stream,
            timeout_s=timeout_s,
            recorded=_recorded(recorded, variable, is_last=index >= last),
            prompt=conversation.prompt,
            score=conversation.score,
        )
        completion = await complete(request)
        messages[index] = Message(completion.text, turn.role, turn.variable, turn.image_url)
        completions.append(completion)
        if index == last and (repair := _repair(conversation, completion.text)):
            messages += repair
            turns.append(len(messages) - 1)  # the loop's last turn, then
    return Transcript(tuple(messages), tuple(completions), conversation.name, tuple(turns))


def _repair(conversation: Conversation, answer: str) -> tuple[Message, Message] | None:
    """Return a request to correct the last answer, and its open turn; None if there is no need.

    The turn has the variable of the answer that it corrects, and so takes its place.
    """
    if conversation.answer is None:
        return None
    request = conversation.answer.repair_request(answer)
    return None if request is None else (Message(content=request), conversation.messages[-1])


def _recorded(
    recorded: str | Mapping[str, str] | None, variable: str, *, is_last: bool
) -> str | None:
    if recorded is None or isinstance(recorded, str):
        return recorded if is_last else None
    return recorded.get(variable)
