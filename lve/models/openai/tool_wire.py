"""Converts tools and tool calls to and from the format of chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lve.json_types import JsonObject, JsonValue
from lve.messages import Tool, ToolCall
from lve.models.http.answers import MAX_TEXT_CHARS, check_calls
from lve.models.http.failures import malformed
from lve.models.http.json_body import is_finite, is_shallow, objects


def tool_bodies(tools: Iterable[Tool]) -> list[dict[str, JsonValue]]:
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


def call_bodies(calls: Iterable[ToolCall]) -> list[dict[str, JsonValue]]:
    """Return the calls of an assistant message in the API's format."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in calls
    ]


def calls_in(message: JsonObject) -> tuple[ToolCall, ...]:
    """Return the tool calls in an answer's message; calls without a name are dropped.

    Servers differ: some give no id, arguments as an object instead of JSON text, or a single
    `function_call`, OpenAI's format before 2024.

    Raises:
        PermanentModelError: there are too many calls.
        TransientModelError: the calls are too long.
    """
    entries = objects(message.get("tool_calls"))
    old = message.get("function_call")
    if not entries and isinstance(old, Mapping):
        entries = [{"function": old}]
    check_calls(len(entries))
    calls = tuple([call for entry in entries if (call := _call(entry)) is not None])
    if sum(len(text) for call in calls for text in call) > MAX_TEXT_CHARS:
        raise malformed(f"calls of tools with more than {MAX_TEXT_CHARS} characters")
    return calls


def _call(data: Mapping[str, object]) -> ToolCall | None:
    function = data.get("function")
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return None
    name, arguments, id_ = function["name"], function.get("arguments"), data.get("id")
    if not isinstance(arguments, str):
        is_json = arguments is not None and is_shallow(arguments) and is_finite(arguments)
        arguments = json.dumps(arguments, ensure_ascii=False) if is_json else ""
    return ToolCall(id_ if isinstance(id_, str) else "", name, arguments) if name else None


class CallAccumulator:
    """Joins the pieces of streamed tool calls: by index, or by id if the server sends no index. A
    piece with neither belongs to the call before it."""

    def __init__(self) -> None:
        self._calls: dict[int | str | None, dict[str, Any]] = {}
        self._arguments: dict[int | str | None, list[str]] = {}
        self._last: int | str | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, piece: JsonObject) -> None:
        """Add a call, or a piece of a call's arguments.

        Raises:
            PermanentModelError: there are too many calls.
        """
        part = piece.get("function")
        function = dict(part) if isinstance(part, Mapping) else {}
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

    def calls(self) -> list[dict[str, Any]]:
        """Return the complete calls in the order of their first pieces."""
        for key, pieces in self._arguments.items():
            if pieces:
                self._calls[key]["function"]["arguments"] = "".join(pieces)
        return list(self._calls.values())
