"""What lve uses of the objects of MCP's SDK: it is an extra, so its types may be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from lve.json_types import JsonObject, JsonValue

Streams: TypeAlias = tuple[object, object]
"""What a session reads from, and what it writes to."""


class Content(Protocol):
    """A part of a tool's result."""

    type: str
    text: str
    """Only if the type is `text`."""


class CallResult(Protocol):
    """A tool's result."""

    content: Sequence[Content]
    structured_content: object
    is_error: bool


class ListedTool(Protocol):
    """A tool of a server."""

    name: str
    description: str | None
    input_schema: JsonObject


class ToolList(Protocol):
    """The tools of a server."""

    tools: Sequence[ListedTool]


class Session(Protocol):
    """A `ClientSession`."""

    async def initialize(self) -> object: ...
    async def list_tools(self) -> ToolList: ...
    async def call_tool(self, name: str, arguments: Mapping[str, JsonValue], /) -> CallResult: ...
