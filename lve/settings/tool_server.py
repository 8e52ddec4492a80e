"""The settings of an MCP server, whose tools tests may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ToolServer(NamedTuple):
    """How to reach an MCP server: a program on this machine, or an address."""

    command: tuple[str, ...] = ()
    """The program and its arguments; it speaks over standard input and output."""
    env: tuple[str, ...] = ()
    """Environment variables that it may see beside the usual ones."""
    url: str | None = None
    """Of a server that speaks streamable HTTP."""
    key_env: str | None = None
    """Name of the environment variable with its key, sent as a bearer token."""
    tools: tuple[str, ...] | None = None
    """The tools that models get; None: all."""
    timeout_s: float = 30.0
    """Seconds that starting it, and each call, may take."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Environment variables that it gets, which may be secrets."""
        return self.env if self.key_env is None else (*self.env, self.key_env)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolServer:
        """Return the server of valid settings."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**values)
