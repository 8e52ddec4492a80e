"""Translates model args from chat completions to the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.json_types import JsonValue

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"
BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Args that limit the answer's length; the smallest one is sent."""
NESTED = {
    "reasoning_effort": ("reasoning", "effort"),
    "reasoning_summary": ("reasoning", "summary"),
    "verbosity": ("text", "verbosity"),
}
"""Model arg -> its place in the body."""
LVE_FIELDS = frozenset(("include", "store"))
"""Fields that lve adds: the server shall store nothing, and return the reasoning encrypted, for the
next turn."""


def response_args(args: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, JsonValue]:
    """Return the fields of a request's body that come from model args.

    An unknown arg is sent unchanged, so that the server's error names it.

    Args:
        args: the model args, in the format of either API.
        left_out: the `LVE_FIELDS` that the server refuses.
    """
    body: dict[str, Any] = {} if "store" in left_out else {"store": False}
    include = [] if "include" in left_out else [ENCRYPTED]
    for name, value in sorted(args.items()):  # in one order, whatever the user's
        if value is None:
            continue
        if name in BOUNDS:
            body["max_output_tokens"] = _smallest(value, body.get("max_output_tokens"))
        elif name in NESTED:
            group, key = NESTED[name]
            body[group] = {**_mapping(body.get(group)), key: value}
        elif name in ("reasoning", "text") and isinstance(value, Mapping):
            body[name] = {**value, **_mapping(body.get(name))}
        elif name == "response_format":
            body["text"] = {**_mapping(body.get("text")), "format": _text_format(value)}
        elif name == "logprobs":
            include += [LOGPROBS] if value else []
        elif name == "include" and isinstance(value, list):
            include += [field for field in value if field not in include]
        elif name == "tool_choice":
            body[name] = _choice(value)
        elif name == "tools" and isinstance(value, list):
            body[name] = [_flat(tool) for tool in value]
        else:
            body[name] = value
    if include:
        body["include"] = [*dict.fromkeys(include)]
    return body


def names_in_api(args: Mapping[str, object]) -> dict[str, str]:
    """Return the API's name -> the user's name, for args that are sent under another name: a
    server's error has the API's.

    Example: `{"reasoning.effort": "reasoning_effort", "reasoning": "reasoning_effort"}`.
    """
    names = {".".join(place): name for name, place in NESTED.items() if name in args}
    names |= {place: name for place in BOUNDS[-1:] for name in BOUNDS if name in args}
    if "response_format" in args:
        names["text.format"] = "response_format"
    for place, name in [*names.items()]:  # an error may name only the outer field
        names.setdefault(place.partition(".")[0], name)
    return names


def _smallest(value: object, other: Any) -> object:
    """Return the smaller bound. A value that isn't a number is sent, so that the server refuses
    it."""
    are_counts = isinstance(value, int) and isinstance(other, int)
    return min(value, other) if are_counts else value


def _mapping(value: JsonValue) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text_format(value: JsonValue) -> Any:
    """Return a `response_format` in the API's format, in which the JSON schema isn't nested."""
    inner = value.get("json_schema") if isinstance(value, Mapping) else None
    return {"type": "json_schema", **inner} if isinstance(inner, Mapping) else value


def _choice(value: JsonValue) -> Any:
    """Return a `tool_choice` in the API's format, in which functions aren't nested."""
    inner = value.get("allowed_tools") if isinstance(value, Mapping) else None
    if not isinstance(inner, Mapping):
        return _flat(value)
    tools = inner.get("tools")
    flat = [_flat(tool) for tool in tools] if isinstance(tools, list) else tools
    return {"type": "allowed_tools", **inner, "tools": flat}


def _flat(value: JsonValue) -> JsonValue:
    """Return a function, or the choice of one, in the API's format, in which it isn't nested."""
    inner = value.get("function") if isinstance(value, Mapping) else None
    return {"type": "function", **inner} if isinstance(inner, Mapping) else value
