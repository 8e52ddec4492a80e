"""Translates model args and messages to the Responses API, and its output items to the state that
is sent back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.json_types import JsonObject, JsonValue, as_object
from lve.messages import Message, Part, Role, Tool
from lve.models.http.json_body import is_finite, is_shallow, objects

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
            body[group] = {**as_object(body.get(group)), key: value}
        elif name in ("reasoning", "text") and isinstance(value, Mapping):
            body[name] = {**value, **as_object(body.get(name))}
        elif name == "response_format":
            body["text"] = {**as_object(body.get("text")), "format": _text_format(value)}
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


API = "responses"
"""Name of the API in `Completion.provider_state`."""
_STATE_KEYS: Mapping[str, frozenset[str]] = {
    "reasoning": frozenset(("type", "id", "summary", "content", "encrypted_content")),
    "message": frozenset(("type", "id", "role", "content", "phase", "status")),
    "function_call": frozenset(("type", "id", "call_id", "name", "arguments", "status")),
}
"""Type of an output item -> its fields that are sent back."""
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("id", "encrypted_content"),
    "message": ("id", "role"),
    "function_call": ("call_id", "name", "arguments"),
}
"""Type of an output item -> the text fields without which it isn't sent back."""


def input_items(messages: Sequence[Message]) -> list[dict[str, JsonValue]]:
    """Return messages as input items: one per message, or several for a model's answer."""
    return [item for message in messages for item in _items(message)]


def tool_items(tools: Sequence[Tool]) -> list[dict[str, JsonValue]]:
    """Return tools in the API's format. They aren't strict, as in chat completions: strict tools
    need schemas of a special form."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": False,
        }
        for tool in tools
    ]


def state_of(output: Sequence[JsonObject]) -> dict[str, Any] | None:
    """Return the items of an answer that the conversation's next request needs, as its
    `provider_state`; None if the text and the tool calls are enough.

    They are if the model didn't reason, or if the reasoning wasn't returned in encrypted form: a
    server that stores nothing couldn't resolve it.
    """
    items = [_kept(item) for item in output if _is_known(item)]
    is_needed = any(item["type"] == "reasoning" or item.get("phase") for item in items)
    if not is_needed or not all(map(_is_sendable, items)):
        return None
    return {"api": API, "items": items}


def _items(message: Message) -> Iterator[dict[str, JsonValue]]:
    if message.role is Role.tool:
        output = _output(message.content)
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": output}
        return
    if message.role is Role.assistant:
        yield from _state_items(message.provider_state) or _answer_items(message)
        return
    yield {"role": message.role.value, "content": _content(message)}


def _state_items(state: JsonValue) -> list[dict[str, Any]]:
    """Return the items of a `provider_state`; none if it is another API's, or invalid: it may come
    from a cache that isn't trusted."""
    if not isinstance(state, Mapping) or state.get("api") != API:
        return []
    stored = state.get("items")
    items = [_kept(item) for item in objects(stored) if _is_known(item)]
    is_whole = isinstance(stored, list) and len(items) == len(stored)
    return items if is_whole and all(map(_is_sendable, items)) else []


def _is_known(item: JsonObject) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in _STATE_KEYS


def _kept(item: Mapping[str, Any]) -> dict[str, JsonValue]:
    keys = _STATE_KEYS[item["type"]]
    return {key: value for key, value in item.items() if key in keys and value is not None}


def _is_sendable(item: Mapping[str, Any]) -> bool:
    if not all(isinstance(item.get(key), str) for key in _REQUIRED[item["type"]]):
        return False
    if item["type"] == "message" and item["role"] != "assistant":
        return False
    return is_shallow(item) and is_finite(item)


def _answer_items(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the items of an assistant message: its text, then its tool calls."""
    text = message.content
    if isinstance(text, str) and (text or not message.tool_calls):
        yield {"role": "assistant", "content": text}
    elif not isinstance(text, str) and text:
        parts = [{"type": "output_text", "text": part.get("text") or ""} for part in text]
        # Without `type`, an assistant message accepts only text.
        yield {"role": "assistant", "content": "".join(part["text"] for part in parts)}
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


def _content(message: Message) -> JsonValue:
    content = message.content
    if isinstance(content, str) and message.image_url is None:
        return content
    texts = [{"type": "input_text", "text": content}] if isinstance(content, str) else []
    parts = texts or [_part(part) for part in content or () if not isinstance(part, str)]
    if message.image_url is not None:
        parts.append(_image(message.image_url))
    return parts


def _output(content: Any) -> JsonValue:
    if content is None or isinstance(content, str):
        return content or ""
    return [_part(part) for part in content]


def _part(part: Part) -> dict[str, Any]:
    """Return a part of a content. A part of an unknown type is sent unchanged: it may be in the
    API's format."""
    kind = part.get("type")
    inner = part.get(kind) if isinstance(kind, str) else None
    if kind == "text":
        return {**part, "type": "input_text"}
    if kind == "image_url" and isinstance(inner, Mapping):
        return _image(inner.get("url"), inner.get("detail"))
    if kind == "image_url" and isinstance(inner, str):
        return _image(inner)
    if kind == "file" and isinstance(inner, Mapping):
        return {"type": "input_file", **inner}
    return dict(part)


def _image(url: JsonValue, detail: JsonValue = None) -> dict[str, Any]:
    return {"type": "input_image", "image_url": url, "detail": detail or "auto"}
