"""The tools of a test that answer while it runs: what servers and code of its folder have in
common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from lve.json_types import JsonValue
from lve.messages import Tool, ToolCall
from lve.named_tuples import NamedTuple
from lve.prompts.tools.calls import arguments_of
from lve.prompts.tools.mocks import error_of

if TYPE_CHECKING:
    from lve.execution.tools.tool_code import ToolProcess


class ConnectedServer(Protocol):
    """A server that answers calls."""

    name: str

    async def call(self, tool: str, arguments: dict[str, JsonValue]) -> str:
        """Return the result of a call as text; if it fails, an error message for the model."""


class LiveTools(NamedTuple):
    """The tools of a test that servers and code answer."""

    tools: tuple[Tool, ...] = ()
    """The tools of the servers. (Those that are code are tools of the test.)"""
    servers: Mapping[str, ConnectedServer] = {}
    """Name of a tool -> its server."""
    code: Mapping[str, ToolProcess] = {}
    """Name of a tool that is code of the test folder -> its process."""

    async def call(self, call: ToolCall) -> str:
        """Return the result of a call as text; if the call fails, an error message for the
        model."""
        arguments = arguments_of(call.arguments)
        if arguments is None:
            return error_of("the arguments are no JSON object").text
        answering = self.servers.get(call.name) or self.code[call.name]
        return await answering.call(call.name, arguments)


class ToolServers(Protocol):
    """The servers of a session that tests may name."""

    async def connect(self, names: Sequence[str]) -> LiveTools:
        """Start the named servers if they don't run yet, and return their tools.

        Raises:
            UnavailableError: the settings have no such server.
            TrustError: a server is a program that isn't trusted. No server was started.
            UsageError: a server can't be used, or two have a tool with the same name.
        """

    async def close(self) -> None:
        """End all servers."""
