"""What servers of tools say: lines of an MCP server that is a program."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.mcp.servers import ToolServers
from lve.messages import ToolCall
from lve.models.http.json_body import encode
from lve.settings.programs import ToolServer

from .attempts import Door, Parts
from .hostile_inputs import MUTATIONS
from .json_mutations import ATOMS, mutated_json, written

SERVER = """
import sys
said = open(sys.argv[1], "rb").read().split(b"\\0\\0")
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    if b'"id"' not in line:
        continue
    if not said:
        break
    out.write(said.pop(0))
    out.flush()
"""
"""Answers each request with the next part of a file, and ends after the last one."""
STARTED = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "weather", "version": "1"},
    },
}
LISTED = {
    "jsonrpc": "2.0",
    "id": 2,
    "result": {
        "tools": [
            {
                "name": "get",
                "description": "d",
                "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
                "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
            {"name": "other", "inputSchema": {"type": "object"}},
        ]
    },
}
CALLED = {
    "jsonrpc": "2.0",
    "id": 3,
    "result": {
        "content": [
            {"type": "text", "text": "sunny"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        ],
        "structuredContent": {"n": 1},
        "isError": False,
    },
}
FAILED = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "no", "data": {"a": 1}}}
OTHERS: tuple[Any, ...] = (
    {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}},
    {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    {
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 0.5},
    },
    {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "sampling/createMessage",
        "params": {"messages": [], "maxTokens": 5},
    },
    {"jsonrpc": "2.0", "id": "x", "method": "roots/list"},
    {
        "jsonrpc": "2.0",
        "id": 8,
        "method": "elicitation/create",
        "params": {"message": "your password?", "requestedSchema": {}},
    },
    {"jsonrpc": "2.0", "id": 9, "method": "ping"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    [],
    None,
    5,
    "x",
    {"jsonrpc": "1.0"},
    {"jsonrpc": "2.0", "id": 99, "result": {}},
)
PATIENCE_S = 0.8


def mcp(folder: Path, patch: pytest.MonkeyPatch) -> Door:
    """Return the door of MCP servers, in an empty folder."""
    pytest.importorskip("mcp", reason="pip install 'lve[mcp]'")
    said, server = folder / "said", folder / "server.py"
    server.write_text(SERVER, encoding="utf-8")
    command = (sys.executable, "-I", "-S", str(server), str(said))
    settings = {"weather": ToolServer(command=command, timeout_s=PATIENCE_S)}

    def eat(parts: Parts) -> None:
        said.write_bytes(b"\0\0".join(data for name, data in sorted(parts.items())))
        asyncio.run(_use(settings))

    return Door(_draw, eat, cost=120.0)


async def _use(settings: dict[str, ToolServer]) -> None:
    servers = ToolServers(settings, trusted=True)
    try:
        live = await servers.connect(["weather"])
        for tool in live.tools[:2]:
            text = await live.call(ToolCall("c", tool.name, '{"city": "Rome"}'))
            encode({"content": text, "tools": [tool.name, tool.description, tool.parameters]})
    finally:
        await servers.close()


def _draw(draw: random.Random) -> Parts:
    messages: list[Any] = [STARTED, LISTED, draw.choice((CALLED, FAILED)), {**CALLED, "id": 4}]
    at = draw.choice((0, 1, 1, 2, 2, 3))
    if draw.random() < 0.7:
        messages[at] = (
            draw.choice(ATOMS)
            if draw.random() < 0.1
            else mutated_json(draw, messages[at], (LISTED, CALLED))
        )
    lines = [written(one, draw) + b"\n" for one in messages]
    if draw.random() < 0.3:
        lines[at] = draw.choice(MUTATIONS)(draw, lines[at])
    if draw.random() < 0.5:
        more = b"".join(
            written(draw.choice(OTHERS), draw) + b"\n" for _ in range(draw.choice((1, 1, 3)))
        )
        more *= draw.choice((1, 1, 1, 200))
        lines[at] = more + lines[at] if draw.random() < 0.7 else lines[at] + more
    if draw.random() < 0.05:
        lines[at] = (
            draw.choice(
                (
                    b"x" * 2_000_000 + b"\n",
                    json.dumps([{}] * 100_000).encode() + b"\n",
                    b"\xff\n",
                    b"\n\r\n",
                    b"",
                )
            )
            + lines[at]
        )
    if draw.random() < 0.05:
        del lines[at:]
    return {f"answer {number}": line for number, line in enumerate(lines)}
