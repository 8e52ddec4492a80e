"""Writes requests to Anthropic's Messages API. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lve.errors import PermanentModelError
from lve.extensions.anthropic.endpoint import CacheTime
from lve.json_types import JsonObject, JsonValue
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.http.args import answer_format, chosen_tool, no_counterpart
from lve.models.http.parts import (
    Part,
    arguments_object,
    cannot_send,
    parts_of,
    returned_parts,
    text_of,
)

API = "anthropic"
"""Name of the API in `provider_state`."""
RENAMES = {"stop": "stop_sequences", "max_completion_tokens": "max_tokens"}
_NO_COUNTERPART = frozenset(
    ("seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "n")
)
"""Model args of other APIs that this API doesn't have."""
_OWN = frozenset(("metadata", "output_config", "thinking"))
"""The API's own args of which args of other APIs also become a part."""
_NOT_ARGS = frozenset(("model", "messages", "system", "stream", "tools", "mcp_servers"))
"""Fields of a request that a model arg must not replace: it may come from a test."""
STATE_BLOCKS = ("thinking", "redacted_thinking", "text", "tool_use")
"""Types of an answer's blocks that may be sent back."""
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def args_body(args: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return model args as fields of a request. The API's own args (`thinking`, `service_tier`,
    `metadata`, ...) stay unchanged.

    Args:
        args: without nulls, already renamed by `RENAMES`.

    Raises:
        PermanentModelError: the API has no equivalent for an arg.
    """
    body: dict[str, Any] = {}
    # In one order, whatever the user's: the API's own args are the last word.
    for name, value in sorted(args.items(), key=lambda item: (item[0] in _OWN, item[0])):
        if name in _NO_COUNTERPART:
            raise no_counterpart("Anthropic", name)
        if name in _NOT_ARGS:
            raise PermanentModelError(
                f"`{name}` is no model arg here: messages come from the prompt, tools from `tools` "
                "of the test",
                kind="bad_request",
            )
        if name == "stop_sequences":
            body[name] = [value] if isinstance(value, str) else value
        elif name == "reasoning_effort":
            body |= _effort(value, body)
        elif name == "response_format":
            body |= _output_format(value, body)
        elif name in ("tool_choice", "parallel_tool_calls"):
            body |= _tool_choice(args)
        elif name == "user":
            body["metadata"] = {"user_id": value}
        elif name in _OWN and isinstance(value, Mapping):
            body[name] = {**body.get(name, {}), **value}
        else:
            body[name] = value
    return body


def _effort(value: JsonValue, body: Mapping[str, Any]) -> dict[str, Any]:
    if value == "none":
        return {"thinking": {"type": "disabled"}}
    effort = "low" if value == "minimal" else value
    return {"output_config": {**body.get("output_config", {}), "effort": effort}}


def _output_format(value: object, body: Mapping[str, Any]) -> dict[str, JsonValue]:
    kind, schema = answer_format(value)
    if kind == "text":
        return {}
    if schema is None:
        raise PermanentModelError(
            "Anthropic's API answers in JSON only by a schema: response_format must be "
            '`{"type": "json_schema", "json_schema": {"schema": ...}}`',
            kind="bad_request",
        )
    format_ = {"type": "json_schema", "schema": schema}
    return {"output_config": {**body.get("output_config", {}), "format": format_}}


def _tool_choice(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field for `tool_choice` and `parallel_tool_calls`; none if neither asks for
    anything."""
    choice = _chosen(args["tool_choice"]) if "tool_choice" in args else {}
    if args.get("parallel_tool_calls") is False and choice.get("type") != "none":
        choice = {"type": "auto", **choice, "disable_parallel_tool_use": True}
    return {"tool_choice": choice} if choice else {}


def _chosen(value: object) -> dict[str, JsonValue]:
    if isinstance(value, Mapping) and value.get("type") in ("auto", "any", "tool", "none"):
        return dict(value)  # in Anthropic's format
    kind, name = chosen_tool(value)
    if name is not None:
        return {"type": "tool", "name": name}
    return {"type": "any" if kind == "required" else kind}


def tools_body(tools: Iterable[Tool]) -> list[dict[str, object]]:
    """Return tools in the API's format."""
    return [
        {
            "name": tool.name,
            **({"description": tool.description} if tool.description else {}),
            "input_schema": dict(tool.parameters),
        }
        for tool in tools
    ]


def messages_body(messages: Iterable[Message]) -> list[dict[str, JsonValue]]:
    """Return messages in the API's format.

    The results of tools become a user message; those of one turn must be in one message, before the
    user's own text. An empty answer is left out, because the API refuses it.

    Raises:
        PermanentModelError: a part can't be sent.
    """
    body: list[dict[str, Any]] = []
    for message in messages:
        if message.role is Role.tool:
            blocks = [_tool_result(message)]
        elif message.role is Role.system:
            body.append({"role": "system", "content": text_of(message)})
            continue
        elif message.role is Role.assistant:
            blocks = _answer_blocks(message)
        else:
            blocks = [_block(part) for part in parts_of(message)]
        if not blocks and message.role is Role.assistant:
            continue
        role = "assistant" if message.role is Role.assistant else "user"
        if role == "user" and body and _has_results(body[-1]):
            body[-1]["content"] += blocks
        else:
            body.append({"role": role, "content": blocks})
    return [_with_plain_text(message) for message in body]


def _has_results(message: JsonObject) -> bool:
    content = message["content"]
    return bool(content) and isinstance(content, list) and content[0]["type"] == "tool_result"


def _with_plain_text(message: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a message whose content is a text, if it is a single text block."""
    content = message["content"]
    if isinstance(content, list) and not content:
        return {**message, "content": ""}
    if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
        return {**message, "content": content[0]["text"]}
    return message


def _answer_blocks(message: Message) -> list[dict[str, object]]:
    """Return the blocks of an answer. Those with reasoning must be sent back unchanged."""
    returned = returned_parts(message, API, "content", is_call=_is_call, write=_tool_use)
    if returned and all(block.get("type") in STATE_BLOCKS for block in returned):
        return returned
    return [*map(_block, parts_of(message)), *map(_tool_use, message.tool_calls)]


def _is_call(block: Mapping[str, object]) -> bool:
    return block.get("type") == "tool_use"


def _tool_use(call: ToolCall) -> dict[str, object]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_object(call)}


def _tool_result(message: Message) -> dict[str, object]:
    content = message.content
    result: object = content if isinstance(content, str) else [*map(_block, parts_of(message))]
    return {"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": result}


def _block(part: str | Part) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = _source(part)
    if part.kind == "image" and source is not None:
        return {"type": "image", "source": source}
    if part.kind == "file" and source is not None:
        title = {"title": part.name} if part.name else {}
        return {"type": "document", "source": source, **title}
    raise cannot_send(part, "Anthropic's API")


def _source(part: Part) -> dict[str, JsonValue] | None:
    if part.inline is None:
        return {"type": "url", "url": part.url}
    media_type, data = part.inline
    media_types = _IMAGES if part.kind == "image" else ("application/pdf",)
    if media_type in media_types:
        return {"type": "base64", "media_type": media_type, "data": data}
    if part.kind == "file" and media_type.startswith("text/"):
        from base64 import b64decode

        text = b64decode(data).decode("utf-8", "replace")
        return {"type": "text", "media_type": "text/plain", "data": text}
    return None


def with_cache(body: dict[str, Any], time: CacheTime | None) -> dict[str, JsonValue]:
    """Return a body that has the provider cache what its requests have in common: the tools and the
    system text."""
    if time is None:
        return body
    mark = {"cache_control": {"type": "ephemeral", "ttl": time}}
    if system := body.get("system"):
        body["system"] = [{"type": "text", "text": system, **mark}]
    elif tools := body.get("tools"):
        body["tools"] = [*tools[:-1], {**tools[-1], **mark}]
    return body
