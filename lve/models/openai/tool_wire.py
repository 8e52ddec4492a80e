"""Converts tools and tool calls to and from the format of chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lve.json_types import JsonObject, JsonValue
from lve.messages import Tool, ToolCall
from lve.models.http.answers import MAX_TEXT_CHARS, check_calls, text_or_none
from lve.models.http.failures import malformed
from lve.models.http.json_body import is_finite, is_shallow, objects
from lve.models.http.parts import parsed_arguments


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


class _Call:
    """A call whose pieces arrive."""

    __slots__ = ("has_index", "id", "is_repeat", "name", "pieces", "value")

    def __init__(self, *, is_repeat: bool, has_index: bool) -> None:
        self.id = self.name = ""
        self.has_index = has_index
        self.is_repeat = is_repeat
        """Whether it began with the name of the call before it, and may be no call."""
        self.pieces: list[str] = []
        self.value: JsonObject | None = None
        """The arguments, if they aren't sent as text."""

    @property
    def is_complete(self) -> bool:
        """Whether its arguments are a whole object."""
        if self.value is not None:
            return True
        if not (self.pieces and self.pieces[-1].rstrip().endswith("}")):
            return False
        return isinstance(parsed_arguments("".join(self.pieces)), dict)


class CallAccumulator:
    """Joins the pieces of streamed tool calls, however a server numbers them: by index, by id, by
    neither, or all with the same one. Pieces of one call may repeat its id and name.

    A piece belongs to the latest call of its index, or to the call before it if it has none. It
    begins a call if its id or name is another one, or if it has a name and the call's arguments are
    complete.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int | None, _Call] = {}
        """Index -> its latest call; None -> that of the latest piece."""
        self._by_id: dict[tuple[int | None, str], _Call] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, piece: JsonObject) -> None:
        """Add a call, or a piece of a call's arguments.

        Raises:
            PermanentModelError: there are too many calls.
        """
        part = piece.get("function")
        function = part if isinstance(part, Mapping) else {}
        name, arguments = text_or_none(function.get("name")) or "", function.get("arguments")
        place = piece.get("index")
        index = place if isinstance(place, int) else None
        call = self._call(index, text_or_none(piece.get("id")) or "", name)
        call.name = call.name or name
        if isinstance(arguments, Mapping):
            call.value = arguments
        elif isinstance(arguments, str) and arguments:
            call.pieces.append(arguments)

    def calls(self) -> list[dict[str, Any]]:
        """Return the complete calls in the order of their first pieces."""
        return [
            {"id": call.id, "function": {"name": call.name, "arguments": arguments}}
            for call in self._calls
            if (arguments := call.value or "".join(call.pieces)) or not call.is_repeat
        ]

    def _call(self, index: int | None, own_id: str, name: str) -> _Call:
        """Return the call to which a piece belongs, which may be a new one."""
        call = self._by_id.get((index, own_id)) or self._by_index.get(index)
        latest = self._by_index.get(None)
        if call is None and not (own_id or name) and latest and not latest.has_index:
            call = latest
        is_other = call is not None and (
            (own_id and call.id and own_id != call.id) or (name and call.name and name != call.name)
        )
        is_repeat = call is not None and bool(name) and call.is_complete
        if call is None or is_other or is_repeat:
            check_calls(len(self._calls) + 1)
            call = _Call(is_repeat=not is_other and is_repeat, has_index=index is not None)
            self._calls.append(call)
        call.id = call.id or own_id
        self._by_index[index] = self._by_index[None] = call
        if own_id:
            self._by_id[index, own_id] = call
        return call
