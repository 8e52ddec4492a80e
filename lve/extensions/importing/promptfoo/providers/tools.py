"""Converts tools that providers offer to models: as OpenAI's and Anthropic's APIs have them."""

from __future__ import annotations

from collections.abc import Mapping

from lve.extensions.importing.promptfoo.source import FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import is_template
from lve.json_types import JsonObject, JsonValue

TOOLS = ("tools", "functions")
CHOICE = "tool_choice"
BEDROCK = "toolConfig"
"""Where Bedrock has tools and choice."""
CHOICES = ("tool_config", "toolConfig")
"""What Gemini's API calls it."""
DECLARED = ("functionDeclarations", "function_declarations")
MODES = ("auto", "none", "required")
_KEYS = frozenset({"name", "description", "parameters", "input_schema", "strict", "type"})
"""Keys of a function. `strict` only says how the server makes its arguments."""


def tools_of(source: Source, value: JsonValue) -> list[JsonValue]:
    """Return a list of tools in lve's format.

    Args:
        source: reads files.
        value: a list, or the file that has it.

    Raises:
        UnsupportedError: there is something else among them.
    """
    if isinstance(value, str) and value.startswith(FILE):
        value = source.data(value)
    value = _declared(value)
    if isinstance(value, list):
        value = [_of_bedrock(item) for item in value]
    if not isinstance(value, list) or not value:
        raise UnsupportedError("left out: its tools aren't a list")
    return [_tool(item) for item in value]


def _declared(value: JsonValue) -> JsonValue:
    """Return the functions of tools that are written as Gemini's API has them."""
    match value:
        case [dict(inner)] | dict(inner) if len(inner) == 1:
            return next((inner[key] for key in DECLARED if key in inner), value)
    return value


def _of_bedrock(item: JsonValue) -> JsonValue:
    tool = item.get("toolSpec") if isinstance(item, dict) else None
    schema = tool.get("inputSchema") if isinstance(tool, dict) else None
    if not isinstance(tool, dict) or not isinstance(schema, dict) or "json" not in schema:
        return item
    own = {key: value for key, value in tool.items() if key != "inputSchema"}
    return {**own, "parameters": schema["json"]}


def of_bedrock(config: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return settings with the tools of `toolConfig` in the place where others have them."""
    own = config.get(BEDROCK)
    if not isinstance(own, dict) or "tools" not in own or own.keys() - {TOOLS[0], "toolChoice"}:
        return dict(config)
    choice = {CHOICE: own["toolChoice"]} if "toolChoice" in own else {}
    others = {key: value for key, value in config.items() if key != BEDROCK}
    return {**others, TOOLS[0]: own[TOOLS[0]], **choice}


def _tool(item: JsonValue) -> JsonObject:
    outer = item if isinstance(item, dict) else {}
    inner = outer.get("function")
    whole = inner if isinstance(inner, dict) else outer
    name, about = whole.get("name"), whole.get("description", "")
    schema = whole.get("parameters", whole.get("input_schema"))
    is_function = outer.get("type", "function") in ("function", "custom")
    is_plain = set(whole) <= _KEYS and (whole is outer or set(outer) <= {"function", "type"})
    if not (is_function and is_plain and isinstance(schema, dict | None)) or is_template(str(item)):
        raise UnsupportedError("left out: its tools aren't functions with a schema")
    if not isinstance(name, str) or not isinstance(about, str):
        raise UnsupportedError("left out: a tool without a name")
    tool: dict[str, JsonValue] = {"name": name}
    if about:
        tool["description"] = about
    return {**tool, **({"parameters": schema} if schema else {})}


def choice_of(value: JsonValue) -> JsonValue:
    """Return which tool a model must call, as OpenAI's API has it.

    Raises:
        UnsupportedError: it is something else.
    """
    match value:
        case str(mode) if mode in MODES:
            return mode
        case {"auto": {}}:
            return "auto"
        case {"any": {}}:
            return "required"
        case {"function_calling_config": {"mode": str(mode), **more}} if not more:
            return "required" if mode.lower() == "any" else choice_of(mode.lower())
        case {"functionCallingConfig": {"mode": str(mode), **more}} if not more:
            return "required" if mode.lower() == "any" else choice_of(mode.lower())
        case {"type": "function", "function": {"name": str(name)}}:
            pass
        case {"type": "function" | "tool", "name": str(name)} | {"tool": {"name": str(name)}}:
            pass
        case _:
            raise UnsupportedError("left out: its tool_choice is none of OpenAI's or Anthropic's")
    return {"type": "function", "function": {"name": name}}
