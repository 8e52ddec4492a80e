"""Writes messages, tools and model args in the format of Google's Gemini API. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from mimetypes import guess_type
from typing import Any

from lve.errors import PermanentModelError
from lve.escape import head
from lve.json_types import JsonValue
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.http.args import answer_format, chosen_tool, no_counterpart
from lve.models.http.parts import Part, arguments_object, parts_of, returned_parts, text_of

RENAMES = {
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
    "stop": "stopSequences",
    "top_p": "topP",
    "top_k": "topK",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}
PROVIDER = "Gemini"
_NO_COUNTERPART = frozenset(("logit_bias", "n", "user"))
"""Model args of other APIs that this API doesn't have."""
_TOP = frozenset(("safetySettings", "cachedContent", "serviceTier"))
"""Args outside `generationConfig`."""
_TRANSLATED = frozenset(("logprobs", "reasoning_effort", "response_format", "tool_choice"))
"""Args of other APIs that become others here."""
_BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
"""Reasoning effort -> Gemini 2.5's token budget, the same as at Google's OpenAI-compatible
server."""
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "one": "ANY"}
_CAMEL = re.compile(r"_([a-z])")


def args_body(args: Mapping[str, object], model: str) -> dict[str, object]:
    """Return model args as fields of a request. The API's own args may be written in camel case or
    with underscores.

    Args:
        args: without nulls, already renamed by `RENAMES`.
        model: the model's name: Gemini 2.5 has a budget for reasoning, later models a level.

    Raises:
        PermanentModelError: the API has no equivalent for an arg.
    """
    body: dict[str, object] = {}
    config: dict[str, object] = {}
    # In one order, whatever the user's: the API's own args are the last word.
    for name, value in sorted(args.items(), key=lambda item: (item[0] not in _TRANSLATED, item[0])):
        if name in _NO_COUNTERPART or (name == "parallel_tool_calls" and value is False):
            raise no_counterpart(PROVIDER, name)
        if name == "response_format":
            config |= _answer_format(value)
        elif name == "reasoning_effort":
            config["thinkingConfig"] = _thinking(str(value), model)
        elif name in ("thinking", "thinking_config"):
            config["thinkingConfig"] = value
        elif name == "tool_choice":
            body["toolConfig"] = {"functionCallingConfig": _tool_choice(value)}
        elif name == "logprobs" and isinstance(value, bool):
            config["responseLogprobs"] = value
        elif name == "top_logprobs":
            config["logprobs"] = value
        elif name == "stopSequences":
            config[name] = [value] if isinstance(value, str) else value
        elif name != "parallel_tool_calls":
            own = _CAMEL.sub(lambda match: match[1].upper(), name)
            (body if own in _TOP else config)[own] = value
    if config:
        body["generationConfig"] = config
    return body


def _answer_format(value: Any) -> dict[str, Any]:
    kind, schema = answer_format(value)
    if kind == "text":
        return {}
    format_ = {"responseMimeType": "application/json"}
    return format_ if schema is None else {**format_, "responseJsonSchema": schema}


def _thinking(effort: str, model: str) -> dict[str, JsonValue]:
    if model.rpartition("/")[2].startswith("gemini-2") and effort in _BUDGETS:
        budget = _BUDGETS[effort]
        return {"thinkingBudget": budget, "includeThoughts": budget > 0}
    level = "minimal" if effort == "none" else effort
    return {"thinkingLevel": level.upper(), "includeThoughts": True}


def _tool_choice(value: object) -> dict[str, JsonValue]:
    kind, name = chosen_tool(value)
    names = {} if name is None else {"allowedFunctionNames": [name]}
    return {"mode": _MODES[kind], **names}


API = "gemini"
"""Name of the API in `provider_state`."""
LVE_ID_PREFIX = "lve-call-"
"""Prefix of the ids that lve gives to tool calls without one. They aren't sent."""
STATE_PARTS = frozenset(("text", "thought", "thoughtSignature", "functionCall"))
"""Fields of the parts of an answer that may be sent back."""


def tools_body(tools: Iterable[Tool]) -> list[dict[str, object]]:
    """Return tools in the API's format."""
    declared = [
        {
            "name": tool.name,
            "description": tool.description or tool.name,
            "parametersJsonSchema": dict(tool.parameters),
        }
        for tool in tools
    ]
    return [{"functionDeclarations": declared}]


def contents_body(messages: Iterable[Message]) -> list[dict[str, JsonValue]]:
    """Return messages in the API's format. It has only the roles `user` and `model`: later system
    messages and the results of tools become the user's. Consecutive messages of one role are
    joined.

    Raises:
        PermanentModelError: a part can't be sent.
    """
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role is Role.assistant:
            names |= {call.id: call.name for call in message.tool_calls}
            role, parts = "model", _answer_parts(message)
        elif message.role is Role.tool:
            role, parts = "user", _result_parts(message, names)
        else:
            role, parts = "user", [_part(part) for part in parts_of(message)]
        if not parts:
            continue
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})
    return contents


def _answer_parts(message: Message) -> list[dict[str, object]]:
    """Return the parts of an answer. Those with signed reasoning must be sent back unchanged."""
    returned = returned_parts(message, API, "parts", is_call=_is_call, write=_call)
    if returned and all(part.keys() <= STATE_PARTS for part in returned):
        return returned
    return [*map(_part, parts_of(message)), *map(_call, message.tool_calls)]


def _is_call(part: Mapping[str, object]) -> bool:
    return isinstance(part.get("functionCall"), Mapping)


def _call(call: ToolCall) -> dict[str, object]:
    return {"functionCall": {**_id(call.id), "name": call.name, "args": arguments_object(call)}}


def _result_parts(message: Message, names: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the parts of a tool call's result: its text, then its files."""
    call = message.tool_call_id or ""
    if call not in names:
        raise PermanentModelError(
            f"a tool's result names the call {head(call, 50)!r}, which no message before it made",
            kind="bad_request",
        )
    result = {**_id(call), "name": names[call], "response": {"output": text_of(message)}}
    others = [_part(part) for part in parts_of(message) if not isinstance(part, str)]
    return [{"functionResponse": result}, *others]


def _id(call: str) -> dict[str, str]:
    return {} if not call or call.startswith(LVE_ID_PREFIX) else {"id": call}


def _part(part: str | Part) -> dict[str, object]:
    if isinstance(part, str):
        return {"text": part}
    if part.inline is not None:
        return {"inlineData": {"mimeType": part.inline.media_type, "data": part.inline.data}}
    guessed = guess_type((part.url or "").partition("?")[0])[0]
    return {"fileData": {"fileUri": part.url, **({"mimeType": guessed} if guessed else {})}}
