"""A real MCP server for tests, written with the SDK."""

from __future__ import annotations

import os
import time
from pathlib import Path

from support.forked import python

TESTS = Path(__file__).parents[2]
SERVE = f"import sys; sys.path.insert(0, {str(TESTS)!r}); from extensions.mcp.server import serve; "


def server_command(port: int | None = None) -> tuple[str, ...]:
    """Return the command of a server on a port; None: over standard input and output.

    It is forked from a process that has imported the SDK, which takes longer on a busy machine than
    a server may take to start.
    """
    return (*python("mcp.server.mcpserver", "uvicorn"), "-c", f"{SERVE}serve({port})")


def serve(port: int | None) -> None:
    """Be a server."""
    from mcp.server import MCPServer

    server = MCPServer("weather")
    for tool in (get_weather, count, fail, sleep, variables):
        server.tool()(tool)
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port)


def get_weather(city: str) -> str:
    """Tells the weather in a city."""
    return f"{city}: sunny, 21 degrees"


def count(words: list[str]) -> dict[str, int]:
    """Counts words."""
    return {"words": len(words)}


def fail() -> str:
    """Always fails."""
    raise ValueError("no such file")


def sleep() -> str:
    """Answers after a minute."""
    time.sleep(60)
    return "late"


def variables() -> str:
    """Tells which of its environment variables look like keys."""
    return " ".join(sorted(name for name in os.environ if "KEY" in name or "TOKEN" in name))
