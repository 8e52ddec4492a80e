"""Completions as JSON, and back: what caches and journals have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.messages import Completion, Usage


def completion_to_json(completion: Completion) -> dict[str, Any]:
    """Return a completion without its text, which caches and journals keep in different places, and
    without `cached`, which is no property of the answer."""
    usage = completion.usage
    fields: dict[str, Any] = {
        "finish_reason": completion.finish_reason,
        "usage": None if usage is None else [usage.prompt_tokens, usage.completion_tokens],
        "latency_s": round(completion.latency_s, 6),
        "model": completion.model,
    }
    if completion.first_token_s is not None:
        fields["first_token_s"] = round(completion.first_token_s, 6)
    if completion.logprobs is not None:
        fields["logprobs"] = completion.logprobs
    return fields


def completion_from_json(data: Mapping[str, Any], text: str, *, cached: bool) -> Completion:
    """Return the completion that `completion_to_json` wrote.

    Raises:
        KeyError, TypeError: it isn't one.
    """
    usage = data["usage"]
    return Completion(
        text,
        data["finish_reason"],
        None if usage is None else Usage(*usage),
        data["latency_s"],
        data.get("first_token_s"),
        data["model"],
        cached,
        data.get("logprobs"),
    )
