"""The programs that settings name: files of code that may run, and servers of tools (MCP)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.settings.trusted_file import TrustedFile


class ToolServer(NamedTuple):
    """How to reach an MCP server: a program on this machine (`command`), or a URL."""

    command: tuple[str, ...] = ()
    """The program and its arguments; it uses the stdio transport."""
    env: tuple[str, ...] = ()
    """Environment variables that the program may see in addition to the usual ones."""
    url: str | None = None
    """URL of a server that uses the streamable HTTP transport."""
    key_env: str | None = None
    """Name of the environment variable with its key, sent as a bearer token."""
    tools: tuple[str, ...] | None = None
    """The tools that models may use; None: all."""
    timeout_s: float = 30.0
    """Seconds for starting the program, and for each call."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the environment variables that the server gets. They may hold secrets."""
        return self.env if self.key_env is None else (*self.env, self.key_env)

    @classmethod
    def from_json(cls, data: JsonObject) -> ToolServer:
        """Return the server from a valid entry of `tool_servers`."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**values)


def trusted_files(entries: Iterable[Mapping[str, Any]]) -> tuple[TrustedFile, ...]:
    """Return the entries of `trust`. The schema's keys are the names of the fields."""
    return tuple(map(_trusted_file, entries))


def tool_servers(servers: Mapping[str, JsonObject]) -> Mapping[str, ToolServer]:
    """Return name -> tool server."""
    return {name: ToolServer.from_json(server) for name, server in servers.items()}


def _trusted_file(entry: Mapping[str, Any]) -> TrustedFile:
    values = {key: value for key, value in entry.items() if value is not None}
    lists = {key: tuple(values.get(key, ())) for key in ("env", "read", "write")}
    return TrustedFile(**{**values, **lists})
