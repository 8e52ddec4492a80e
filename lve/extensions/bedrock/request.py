"""Writes requests to Bedrock's Converse API as JSON, with bytes in base64. Pure functions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from lve.errors import PermanentModelError
from lve.json_types import JsonValue
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.http.args import answer_format, chosen_tool, no_counterpart
from lve.models.http.parts import Part, arguments_object, cannot_send, parts_of, returned_parts

API = "bedrock"
"""Name of the API in `provider_state`."""
PROVIDER = "Bedrock"
RENAMES = {
    "max_tokens": "maxTokens",
    "max_completion_tokens": "maxTokens",
    "stop": "stopSequences",
    "top_p": "topP",
}
STATE_BLOCKS = frozenset(("reasoningContent", "text", "toolUse"))
_INFERENCE = ("maxTokens", "temperature", "topP", "stopSequences")
_TOP = frozenset(("performanceConfig", "serviceTier", "requestMetadata", "guardrailConfig"))
"""Args outside `inferenceConfig`."""
_NO_COUNTERPART = frozenset(("n", "logprobs", "top_logprobs", "logit_bias"))
_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_AUDIO = {"audio/mp3": "mp3", "audio/wav": "wav", "audio/flac": "flac", "audio/ogg": "ogg"}
_DOCUMENTS = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
MAX_NAME_CHARS = 190
"""Longer names of documents are shortened; the API's limit is 200, with a number at the end."""
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9()\[\]-]+")
"""Characters that a document's name may not have: it takes letters, digits, single spaces and some
signs."""


def args_body(args: Mapping[str, object]) -> dict[str, object]:
    """Return model args as fields of a request. Args that Converse doesn't have are passed to the
    model unchanged.

    Args:
        args: without nulls, already renamed by `RENAMES`.

    Raises:
        PermanentModelError: the API has no equivalent for an arg.
    """
    body: dict[str, object] = {}
    inference: dict[str, object] = {}
    output: dict[str, object] = {}
    others: dict[str, object] = {}
    for name, value in sorted(args.items()):  # in one order, whatever the user's
        if name in _NO_COUNTERPART or (name == "parallel_tool_calls" and value is False):
            raise no_counterpart(PROVIDER, name)
        if name == "stopSequences":
            inference[name] = [value] if isinstance(value, str) else value
        elif name in _INFERENCE:
            inference[name] = value
        elif name == "reasoning_effort":
            output["effort"] = value
        elif name == "response_format":
            output |= _answer_format(value)
        elif name in _TOP:
            body[name] = value
        elif name not in ("parallel_tool_calls", "tool_choice"):
            others[name] = value
    groups = {
        "inferenceConfig": inference,
        "outputConfig": output,
        "additionalModelRequestFields": others,
    }
    return {**body, **{name: group for name, group in groups.items() if group}}


def _answer_format(value: Any) -> dict[str, JsonValue]:
    kind, schema = answer_format(value)
    if kind == "text":
        return {}
    if schema is None:
        raise PermanentModelError(
            "Bedrock answers in JSON only by a schema: response_format must be "
            '`{"type": "json_schema", "json_schema": {"schema": ...}}`',
            kind="bad_request",
        )
    name = value["json_schema"].get("name")
    definition = {"schema": json.dumps(schema), **({"name": name} if name else {})}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": definition}}}


def tools_body(tools: Iterable[Tool], choice: object) -> dict[str, object] | None:
    """Return tools in the API's format; None if the model shall not call any."""
    kind, name = ("auto", None) if choice is None else chosen_tool(choice)
    if kind == "none":
        return None
    specs = [
        {
            "toolSpec": {
                "name": tool.name,
                **({"description": tool.description} if tool.description else {}),
                "inputSchema": {"json": dict(tool.parameters)},
            }
        }
        for tool in tools
    ]
    if name is not None:
        return {"tools": specs, "toolChoice": {"tool": {"name": name}}}
    return {"tools": specs, "toolChoice": {"any" if kind == "required" else "auto": {}}}


def messages_body(messages: Iterable[Message]) -> list[dict[str, JsonValue]]:
    """Return messages in the API's format. Its roles `user` and `assistant` alternate: later system
    messages and the results of tools become the user's, and consecutive messages of one role are
    joined.

    Raises:
        PermanentModelError: a part can't be sent.
    """
    body: list[dict[str, Any]] = []
    for message in messages:
        if message.role is Role.assistant:
            role, blocks = "assistant", _answer_blocks(message)
        elif message.role is Role.tool:
            role, blocks = "user", [_tool_result(message)]
        else:
            role, blocks = "user", [_block(part) for part in parts_of(message)]
        if not blocks:
            continue
        if body and body[-1]["role"] == role:
            body[-1]["content"] += blocks
        else:
            body.append({"role": role, "content": blocks})
    _number_documents(body)
    return body


def _number_documents(body: Iterable[Mapping[str, Any]]) -> None:
    """Rename documents of the same name to `report`, `report-2`, ...: Bedrock refuses requests with
    duplicate names."""
    names: set[str] = set()
    numbers: Counter[str] = Counter()
    for message in body:
        for document in _documents(message["content"]):
            name = document["name"]
            while document["name"].lower() in names:
                numbers[name.lower()] += 1
                document["name"] = f"{name}-{numbers[name.lower()] + 1}"
            names.add(document["name"].lower())


def _documents(blocks: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if "document" in block:
            yield block["document"]
        elif "toolResult" in block:
            yield from _documents(block["toolResult"]["content"])


def _answer_blocks(message: Message) -> list[dict[str, object]]:
    """Return the blocks of an answer. Those with signed reasoning must be sent back unchanged."""
    returned = returned_parts(message, API, "content", is_call=_is_call, write=_tool_use)
    if returned and all(block.keys() <= STATE_BLOCKS for block in returned):
        return returned
    return [*map(_block, parts_of(message)), *map(_tool_use, message.tool_calls)]


def _is_call(block: Mapping[str, object]) -> bool:
    return isinstance(block.get("toolUse"), Mapping)


def _tool_use(call: ToolCall) -> dict[str, object]:
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": arguments_object(call)}}


def _tool_result(message: Message) -> dict[str, object]:
    content = [_block(part) for part in parts_of(message)] or [{"text": "(nothing)"}]
    return {"toolResult": {"toolUseId": message.tool_call_id or "", "content": content}}


def _block(part: str | Part) -> dict[str, object]:
    if isinstance(part, str):
        return {"text": part}
    media_type, data = part.inline or ("", "")
    source = {"source": {"bytes": data}}
    if part.kind == "image" and media_type in _IMAGES:
        return {"image": {"format": _IMAGES[media_type], **source}}
    if part.kind == "audio" and media_type in _AUDIO:
        return {"audio": {"format": _AUDIO[media_type], **source}}
    if part.kind == "file" and media_type in _DOCUMENTS:
        stem = PurePosixPath(part.name or "").stem or "document"
        name = _NOT_IN_A_NAME.sub("-", stem)[:MAX_NAME_CHARS]
        return {"document": {"format": _DOCUMENTS[media_type], "name": name, **source}}
    raise cannot_send(part, PROVIDER)
