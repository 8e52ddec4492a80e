"""A strict server's side of a conversation with one tool, `get_weather`."""

from __future__ import annotations

import json
from typing import Any

from support.openai_answers import Answer, Received, Reply

TOOL = {
    "name": "get_weather",
    "description": "Tells the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
TEST: dict[str, Any] = {
    "model": "openai/m",
    "prompt": [{"content": "Weather in {city}?"}],
    "prompt_parameters": ["city", "celsius"],
    "tools": [TOOL],
    "mocks": {
        "get_weather": [
            {"args": {"city": "{city}"}, "results": ["cloudy", {"celsius": "{celsius}"}]},
            {"error": "no more"},
        ]
    },
    "checker_args": None,
    "check": {"contains": "{celsius} degrees"},
}
"""A test that takes three requests: two calls, then the answer."""


def weather(request: Received) -> Answer:
    """Call until a result has `celsius`, then say it. What a server refuses is a 400."""
    if (wrong := _wrong(request.json)) is not None:
        return {"error": {"message": wrong, "type": "invalid_request_error"}}
    messages = request.json["messages"]
    results = [one["content"] for one in messages if one["role"] == "tool"]
    if results and "celsius" in results[-1]:
        return f"It has {json.loads(results[-1])['celsius']} degrees."
    city = messages[0]["content"].removeprefix("Weather in ").removesuffix("?")
    return asked(city, len(results))


def asked(city: str, number: int) -> Reply:
    """Return a call."""
    function = {"name": "get_weather", "arguments": json.dumps({"city": city})}
    call = {"index": 0, "id": f"c{number}", "type": "function", "function": function}
    return Reply(None, "tool_calls", {"tool_calls": [call]})


def _wrong(body: dict[str, Any]) -> str | None:
    if body.get("tools") != [{"type": "function", "function": TOOL}]:
        return "tools are missing"
    waiting: list[str] = []
    for message in body["messages"]:
        allowed = {"role", "content", "tool_calls", "tool_call_id"}
        if not message.keys() <= allowed:
            return f"unknown key in {message}"
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting or not isinstance(message["content"], str):
                return "a result without its call"
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return "a call without its result"
        for call in message.get("tool_calls", ()):
            if call["type"] != "function" or call["function"].keys() != {"name", "arguments"}:
                return "no call of a function"
            waiting.append(call["id"])
    return "a call without its result" if waiting else None
