"""A real MCP server for tests, written with the SDK: `python mcp_server.py [PORT]`.

Without a port it speaks over standard input and output.
"""

from __future__ import annotations

import os
import sys
import time

from mcp.server import MCPServer

server = MCPServer("weather")


@server.tool()
def get_weather(city: str) -> str:
    """Tells the weather in a city."""
    return f"{city}: sunny, 21 degrees"


@server.tool()
def count(words: list[str]) -> dict[str, int]:
    """Counts words."""
    return {"words": len(words)}


@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("no such file")


@server.tool()
def sleep() -> str:
    """Answers after a minute."""
    time.sleep(60)
    return "late"


@server.tool()
def variables() -> str:
    """Tells which of its environment variables look like keys."""
    return " ".join(sorted(name for name in os.environ if "KEY" in name or "TOKEN" in name))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
