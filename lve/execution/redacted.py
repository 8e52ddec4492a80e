"""Removes secrets from completions: servers repeat headers, on purpose or in error messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lve.messages import Completion


def redacted(completion: Completion, redact: Callable[[str], str]) -> Completion:
    """Return a completion with all its texts redacted."""
    text, logprobs = completion.text, completion.logprobs
    # Nearly all completions have no secret, and checking all texts together is faster.
    together = f"{text}\n{completion.model}\n{completion.finish_reason}"
    if logprobs is None and redact(together) == together:
        return completion
    text = redact(text)
    model = completion.model and redact(completion.model)
    finish_reason = completion.finish_reason and redact(completion.finish_reason)
    if text != completion.text:
        # The tokens, one by one, would still spell the secret.
        logprobs = None
    elif logprobs is not None:
        logprobs = _redacted_value(logprobs, redact)
    return replace(
        completion, text=text, model=model, finish_reason=finish_reason, logprobs=logprobs
    )


def _redacted_value(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): _redacted_value(item, redact) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted_value(item, redact) for item in value]
    return value
