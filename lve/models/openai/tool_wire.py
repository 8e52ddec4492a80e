"""Converts tools and their calls to and from the format of chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lve.messages import Tool, ToolCall
from lve.models.http.answers import check_calls
from lve.models.http.decode import is_finite, is_shallow, objects
from lve.models.http.failures import malformed

LONGEST_CALLS = 8 * 1024 * 1024
"""Most characters of all calls of an answer."""


def tool_bodies(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return tools in the API's format."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]


def call_bodies(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Return the calls of an assistant message in the API's format."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in calls
    ]


def calls_in(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls in the message of an answer. What has no name isn't a call.

    Servers differ: some give no id, arguments as an object instead of JSON text, or one
    `function_call` as OpenAI did before 2024.

    Raises:
        PermanentModelError: there are too many.
        TransientModelError: they are too long.
    """
    found = objects(message.get("tool_calls"))
    old = message.get("function_call")
    if not found and isinstance(old, Mapping):
        found = [{"function": old}]
    check_calls(len(found))
    calls = tuple([call for one in found if (call := _call(one)) is not None])
    if sum(len(text) for call in calls for text in call) > LONGEST_CALLS:
        raise malformed(f"calls of tools with more than {LONGEST_CALLS} characters")
    return calls


def _call(data: Mapping[str, Any]) -> ToolCall | None:
    function = data.get("function")
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return None
    name, written, given = function["name"], function.get("arguments"), data.get("id")
    if not isinstance(written, str):
        is_json = written is not None and is_shallow(written) and is_finite(written)
        written = json.dumps(written, ensure_ascii=False) if is_json else ""
    return ToolCall(given if isinstance(given, str) else "", name, written) if name else None


class JoinedCalls:
    """Joins the pieces of streamed calls: by their index; where a server sends none, by their id,
    and what has neither belongs to the call before it."""

    def __init__(self) -> None:
        self._calls: dict[int | str | None, dict[str, Any]] = {}
        self._arguments: dict[int | str | None, list[str]] = {}
        self._last: int | str | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a call, or more of a call's arguments.

        Raises:
            PermanentModelError: there are too many calls.
        """
        given = piece.get("function")
        function = dict(given) if isinstance(given, Mapping) else {}
        index, own_id = piece.get("index"), piece.get("id")
        key = index if isinstance(index, int) else own_id if isinstance(own_id, str) else self._last
        self._last = key
        arguments = function.pop("arguments", None)
        if key not in self._calls:
            check_calls(len(self._calls) + 1)
            self._calls[key] = {"id": own_id, "function": function}
            self._arguments[key] = []
            if isinstance(arguments, Mapping):  # not in pieces
                function["arguments"] = arguments
        elif function.get("name") and not self._calls[key]["function"].get("name"):
            self._calls[key]["function"]["name"] = function["name"]
        if isinstance(arguments, str):
            self._arguments[key].append(arguments)

    def whole(self) -> list[dict[str, Any]]:
        """Return the complete calls in the order of their first pieces."""
        for key, pieces in self._arguments.items():
            if pieces:
                self._calls[key]["function"]["arguments"] = "".join(pieces)
        return list(self._calls.values())
