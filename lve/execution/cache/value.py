"""A completion as the JSON in the cache: all of it, since a later turn may need what no report
shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.execution.completions import (
    completion_from_json,
    completion_to_json,
    tool_calls_from_json,
    tool_calls_to_json,
)
from lve.messages import Completion
from lve.models.http.decode import is_shallow


def completion_to_value(completion: Completion) -> dict[str, Any]:
    """Return a completion as JSON."""
    value = {"text": completion.text, **completion_to_json(completion)}
    if completion.tool_calls:
        value["tool_calls"] = tool_calls_to_json(completion.tool_calls)
    if completion.provider_state is not None:
        value["provider_state"] = completion.provider_state
    return value


def completion_from_value(value: Mapping[str, Any]) -> Completion:
    """Return the completion that `completion_to_value` wrote, marked `cached`.

    Raises:
        KeyError, TypeError, ValueError: it isn't one.
    """
    completion = completion_from_json(value, value["text"], cached=True)
    if "tool_calls" in value:
        completion.tool_calls = tool_calls_from_json(value["tool_calls"])
    if "provider_state" in value:
        if not is_shallow(value["provider_state"]):
            raise ValueError("nested too deeply")
        completion.provider_state = value["provider_state"]
    return completion
