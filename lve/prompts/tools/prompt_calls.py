"""Tool calls and their results that are part of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from lve.errors import Severity
from lve.escape import excerpt
from lve.messages import Message, Role, Tool
from lve.named_tuples import NamedTuple
from lve.suggest import did_you_mean


class CallProblem(NamedTuple):
    """A problem of a tool call or of its result in a prompt."""

    place: int
    """Index of the message."""
    field: str | None
    message: str
    hint: str | None = None
    severity: Severity = "error"


def with_call_ids(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with an id for every call, and in every result the id of its call."""
    numbers = count(1)
    ids = {call.id for message in messages for call in message.tool_calls}
    messages_with_ids: list[Message] = []
    waiting: list[str] = []
    for message in messages:
        if message.tool_calls:
            calls = []
            for call in message.tool_calls:
                fresh = (f"call_{n}" for n in numbers)
                named_id = call.id or next(name for name in fresh if name not in ids)
                calls.append(call._replace(id=named_id))
            waiting = [call.id for call in calls]
            message = replace(message, tool_calls=tuple(calls))
        elif message.role is Role.tool:
            answered = message.tool_call_id or (waiting[0] if waiting else "")
            waiting = [name for name in waiting if name != answered]
            message = replace(message, tool_call_id=answered)
        messages_with_ids.append(message)
    return messages_with_ids


def call_problems(messages: Sequence[Message], tools: Sequence[Tool]) -> Iterator[CallProblem]:
    """Yield the problems of calls and results. Servers refuse calls without a result, and results
    without a call."""
    tool_names = [tool.name for tool in tools]
    waiting: dict[str, int] = {}
    for index, message in enumerate(with_call_ids(messages)):
        if message.role is Role.tool:
            answered = message.tool_call_id or ""
            if answered not in waiting:
                text = "this result belongs to no call before it"
                hint = "an assistant message before it needs `tool_calls`, with this `id` if any"
                yield CallProblem(index, "tool_call_id", text, hint)
            waiting.pop(answered, None)
            continue
        yield from _unanswered(waiting)
        waiting = {call.id: index for call in message.tool_calls}
        if message.tool_calls and message.role is not Role.assistant:
            yield CallProblem(index, "tool_calls", "only assistant messages have `tool_calls`")
        elif len(waiting) < len(message.tool_calls):
            yield CallProblem(index, "tool_calls", "two calls have the same `id`")
        for call in message.tool_calls if tools else ():
            if call.name not in tool_names:
                text = f"there is no tool `{excerpt(call.name)}` in `tools`"
                suggestion = did_you_mean(call.name, tool_names)
                yield CallProblem(index, "tool_calls", text, suggestion, "warning")
        if message.tool_call_id is not None:
            yield CallProblem(index, "tool_call_id", "only results of tools have `tool_call_id`")
    yield from _unanswered(waiting)


def _unanswered(waiting: dict[str, int]) -> Iterator[CallProblem]:
    for name, index in list(waiting.items())[:1]:
        text = f"the call `{excerpt(name)}` has no result"
        hint = "add a message with `role: tool` after it"
        yield CallProblem(index, "tool_calls", text, hint)
