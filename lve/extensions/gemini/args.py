"""Writes model args in the format of Google's Gemini API. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lve.json_types import JsonValue
from lve.models.http.args import answer_format, chosen_tool, no_counterpart

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
