"""A completion as JSON with a checksum, as the cache stores it. It has all fields, because a later
turn may need some that no report shows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from zlib import crc32

from lve.documents.json_lines import fast_json_line, fast_json_value, json_line
from lve.execution.completions import (
    completion_from_json,
    completion_to_json,
    in_microseconds,
    tool_calls_from_json,
    tool_calls_to_json,
)
from lve.json_types import JsonValue
from lve.messages import Completion, Usage
from lve.models.chat_model import MAX_SECONDS, MAX_TOKEN_COUNT
from lve.models.http.json_body import MAX_VALUES_BYTES, UNCHECKED_BYTES, is_shallow, memory_of

_PLAIN = ("text", "finish_reason", "usage", "latency_s", "model")
_TEXT_OR_NONE = (str, type(None))
_KINDS = {(str, reason, list, float, model) for reason in _TEXT_OR_NONE for model in _TEXT_OR_NONE}
Stored = tuple[bytes, str, float, bytes]
"""Key, model name in ASCII, creation (Unix time), completion with its checksum."""


def completion_to_value(completion: Completion) -> dict[str, JsonValue]:
    """Return a completion as JSON."""
    value = {"text": completion.text, **completion_to_json(completion)}
    if completion.tool_calls:
        value["tool_calls"] = tool_calls_to_json(completion.tool_calls)
    if completion.provider_state is not None:
        value["provider_state"] = completion.provider_state
    return value


def completion_from_value(value: Mapping[str, object]) -> Completion:
    """Return the completion that `completion_to_value` wrote, marked `cached`.

    Raises:
        KeyError, TypeError, ValueError: it isn't one.
    """
    if (plain := _plain_completion(value)) is not None:
        return plain
    completion = completion_from_json(value, value["text"], cached=True)
    if "tool_calls" in value:
        completion.tool_calls = tool_calls_from_json(value["tool_calls"])
    if "provider_state" in value:
        if not is_shallow(value["provider_state"]):
            raise ValueError("nested too deeply")
        completion.provider_state = value["provider_state"]
    return completion


def _plain_completion(value: Mapping[str, Any]) -> Completion | None:
    """Return the completion of a value that has what nearly all have, in the order in which it is
    written; None for others. It is `completion_from_json`, looking at all types at once."""
    if (*value,) != _PLAIN or (*map(type, value.values()),) not in _KINDS:
        return None
    text, finish_reason, usage, latency_s, model = value.values()
    if (*map(type, usage),) != (int, int) or not 0 <= latency_s <= MAX_SECONDS:
        return None
    reads, writes = usage
    if not (0 <= reads <= MAX_TOKEN_COUNT and 0 <= writes <= MAX_TOKEN_COUNT):
        return None
    counts = Usage(reads, writes)
    completion = Completion(text, finish_reason, counts, latency_s, None, model, True)
    completion.is_plain = True
    return completion


def stored_row(key: str, completion: Completion, model: str = "") -> Stored:
    """Return the row of a team's store for a completion."""
    name = (model or completion.model or "").replace("\0", "")
    value = with_checksum(value_text(completion), key).encode("utf-8", "backslashreplace")
    return bytes.fromhex(key), name.encode("ascii", "backslashreplace").decode(), time.time(), value


def completion_from_stored(value: object, key: str) -> Completion:
    """Return the completion from a value of `stored_row`, marked `cached`.

    Raises:
        KeyError, TypeError, ValueError, RecursionError: it isn't one, or belongs to another key.
    """
    if not isinstance(value, bytes):
        raise TypeError("no bytes")
    return completion_from_text(value.decode(), key)


def completion_from_text(value: str, key: str) -> Completion:
    """Return the completion from a result of `with_checksum`, marked `cached`.

    Raises:
        KeyError, TypeError, ValueError, RecursionError: it isn't one, belongs to another key, or
            would take more memory than a server's answer may.
    """
    text = value[8:]
    if int(value[:8], 16) != crc32((key + text).encode()):
        raise ValueError("wrong checksum")
    if len(text) > UNCHECKED_BYTES and memory_of(text.encode()) > MAX_VALUES_BYTES:
        raise ValueError("too many values")
    return completion_from_value(fast_json_value(text))


def value_text(completion: Completion) -> str:
    """Return a completion as JSON text."""
    if completion.is_plain and (usage := completion.usage) is not None:
        value = {
            "text": completion.text,
            "finish_reason": completion.finish_reason,
            "usage": [usage.prompt_tokens, usage.completion_tokens],
            "latency_s": in_microseconds(completion.latency_s),
            "model": completion.model,
        }  # the fields of `_PLAIN`, in this order
        return fast_json_line(value)
    # Only these two fields, which are the server's own JSON, may have NaN.
    is_plain = completion.logprobs is None and completion.provider_state is None
    return (fast_json_line if is_plain else json_line)(completion_to_value(completion))


def with_checksum(text: str, key: str) -> str:
    """Return a text with its checksum before it. Databases have none, and a flipped bit would
    change an answer unnoticed."""
    # It covers the key, because a damaged index may point to a wrong row.
    return f"{crc32((key + text).encode()):08x}{text}"
