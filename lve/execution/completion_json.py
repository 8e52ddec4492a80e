"""Completions as JSON, and back: what caches and journals have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.messages import Completion, Usage
from lve.models.chat_model import MOST_TOKENS
from lve.models.openai.decode import is_shallow

MOST_SECONDS = 10**9
"""That an answer can have taken: numbers of thousands of digits can't be added to others."""


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


def completion_from_json(data: Mapping[str, Any], text: Any, *, cached: bool) -> Completion:
    """Return the completion that `completion_to_json` wrote.

    What is read may have been written by anybody: a cache and a journal come with archives, too.

    Raises:
        KeyError, TypeError, ValueError: it isn't one.
    """
    # One function, few calls: this runs for every cached answer.
    finish_reason, model, usage = data["finish_reason"], data["model"], data["usage"]
    if not isinstance(text, str):
        raise TypeError("not a text")
    if not (finish_reason is None or isinstance(finish_reason, str)):
        raise TypeError("not a reason")
    if not (model is None or isinstance(model, str)):
        raise TypeError("not the name of a model")
    latency_s, first_token_s = data["latency_s"], data.get("first_token_s")
    # What is no number can't be compared: a TypeError.
    if not 0 <= latency_s <= MOST_SECONDS:
        raise ValueError("not a number of seconds")
    if first_token_s is not None and not 0 <= first_token_s <= MOST_SECONDS:
        raise ValueError("not a number of seconds")
    logprobs = data.get("logprobs")
    if logprobs is not None and not is_shallow(logprobs):
        raise ValueError("nested too deeply")
    return Completion(
        text,
        finish_reason,
        None if usage is None else _usage(usage),
        latency_s,
        first_token_s,
        model,
        cached,
        logprobs,
    )


def _usage(value: Any) -> Usage:
    prompt, completion = value
    if not (type(prompt) is type(completion) is int):
        raise TypeError("not numbers of tokens")
    if not (0 <= prompt <= MOST_TOKENS and 0 <= completion <= MOST_TOKENS):
        raise ValueError("not numbers of tokens")
    return Usage(prompt, completion)
