"""Reads model args in OpenAI's format for other APIs (`response_format`, `tool_choice`), and
refuses those that an API doesn't have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lve.errors import PermanentModelError
from lve.json_types import JsonValue

SAMPLING_ARGS = frozenset(("temperature", "top_p", "top_k"))
"""Model args that Claude models refuse while they reason."""


def turns_reasoning_on(thinking: object) -> bool:
    """Return whether a Claude model reasons with this value of the model arg `thinking`."""
    kind = thinking.get("type") if isinstance(thinking, Mapping) else None
    return kind in ("enabled", "adaptive", "between_tools")


def no_counterpart(provider: str, name: str) -> PermanentModelError:
    """Return the error for the model arg `name`, which was set and which the API doesn't have."""
    return PermanentModelError(
        f"{provider}'s API has no `{name}`, which the test, the settings or the command line set: "
        f"change it there, or leave it out with --model-arg {name}=null",
        kind="bad_request",
    )


def answer_format(value: Any) -> tuple[Literal["text", "json"], JsonValue]:
    """Return the kind of answer that a `response_format` requests, and its JSON Schema or None.

    Raises:
        PermanentModelError: `value` isn't in OpenAI's format, which lve uses for all providers.
    """
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "text":
        return "text", None
    if kind == "json_object":
        return "json", None
    schema = value.get("json_schema") if kind == "json_schema" else None
    if isinstance(schema, Mapping) and isinstance(schema.get("schema"), Mapping):
        return "json", schema["schema"]
    raise PermanentModelError(
        "response_format must be `{type: text}`, `{type: json_object}` or `{type: json_schema, "
        "json_schema: {name: ..., schema: ...}}`",
        kind="bad_request",
    )


def chosen_tool(value: object) -> tuple[str, str | None]:
    """Return the mode of a `tool_choice` (`auto`, `none`, `required` or `one`), and for `one` the
    tool's name.

    Raises:
        PermanentModelError: `value` isn't in OpenAI's format.
    """
    if value in ("auto", "none", "required"):
        return str(value), None
    function = value.get("function") if isinstance(value, Mapping) else None
    if isinstance(function, Mapping) and isinstance(function.get("name"), str):
        return "one", function["name"]
    raise PermanentModelError(
        "tool_choice must be `auto`, `none`, `required` or `{type: function, function: {name: "
        "...}}`",
        kind="bad_request",
    )
