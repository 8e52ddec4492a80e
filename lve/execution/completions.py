"""Converts completions to JSON and back, for cache and journal, and removes secrets from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from lve.documents.json_text import has_surrogates, whole_characters
from lve.errors import PermanentModelError
from lve.json_types import JsonValue
from lve.messages import Completion, Role, ToolCall, Transcript, Usage
from lve.models.chat_model import MAX_SECONDS, MAX_TOKEN_COUNT, is_part, wrong_with_returned
from lve.models.error_kinds import NOT_RECORDED
from lve.models.http.json_body import is_shallow
from lve.secrets.redaction import redact

MIN_FIELDS = 5
"""Fields of a completion without optional ones: four, and its text or whether it was cached."""


def completion_to_json(completion: Completion) -> dict[str, JsonValue]:
    """Return a completion as JSON, without its text and tool calls, which the caller stores, and
    without `cached`, which isn't a property of the answer."""
    usage = completion.usage
    fields: dict[str, Any] = {
        "finish_reason": completion.finish_reason,
        "usage": None if usage is None else _counts(usage),
        "latency_s": in_microseconds(completion.latency_s),
        "model": completion.model,
    }
    if completion.first_token_s is not None:
        fields["first_token_s"] = round(completion.first_token_s, 6)
    if completion.logprobs is not None:
        fields["logprobs"] = completion.logprobs
    if completion.left_out:
        fields["left_out"] = [*completion.left_out]
    if completion.reasoning is not None:
        fields["reasoning"] = completion.reasoning
    if completion.contexts:
        fields["contexts"] = [*completion.contexts]
    if completion.metadata is not None:
        fields["metadata"] = completion.metadata
    if completion.cost is not None:
        fields["cost"] = completion.cost
    return fields


def in_microseconds(seconds: float) -> float:
    """Return `round(seconds, 6)`, in half the time if they are rounded already: then they are the
    float that is nearest to a whole number of microseconds, as a division gives it."""
    is_rounded = (seconds * 1e6 + 0.5) // 1 / 1e6 == seconds
    return seconds if is_rounded else round(seconds, 6)


def tool_calls_to_json(calls: Sequence[ToolCall]) -> list[dict[str, str]]:
    """Return tool calls as JSON."""
    return [call._asdict() for call in calls]


def tool_calls_from_json(data: Any) -> tuple[ToolCall, ...]:
    """Return the tool calls that `tool_calls_to_json` wrote.

    Raises:
        KeyError, TypeError: `data` isn't a list of tool calls.
    """
    calls = tuple([ToolCall(call["id"], call["name"], call["arguments"]) for call in data])
    if not all(isinstance(text, str) for call in calls for text in call):
        raise TypeError("not tool calls")
    return calls


def _counts(usage: Usage) -> list[int]:
    counts = [usage.prompt_tokens, usage.completion_tokens]
    if usage.cached_tokens or usage.reasoning_tokens:
        counts += [usage.cached_tokens, usage.reasoning_tokens]
    return counts


def completion_from_json(data: Mapping[str, Any], text: Any, *, cached: bool) -> Completion:
    """Return the completion that `completion_to_json` wrote.

    Everything is checked, because a cache or journal may come from somebody else.

    Raises:
        KeyError, TypeError, ValueError: it isn't a completion.
    """
    # One function with few calls, which is faster: it runs for every cached answer.
    finish_reason, model, usage = data["finish_reason"], data["model"], data["usage"]
    if not isinstance(text, str):
        raise TypeError("not a text")
    if not (finish_reason is None or isinstance(finish_reason, str)):
        raise TypeError("not a reason")
    if not (model is None or isinstance(model, str)):
        raise TypeError("not the name of a model")
    latency_s = data["latency_s"]
    # Comparing anything but a number raises a TypeError.
    if not 0 <= latency_s <= MAX_SECONDS:
        raise ValueError("not a number of seconds")
    counts = None if usage is None else _usage(usage)
    if len(data) <= MIN_FIELDS:
        return Completion(text, finish_reason, counts, latency_s, None, model, cached)
    first_token_s = data.get("first_token_s")
    if first_token_s is not None and not 0 <= first_token_s <= MAX_SECONDS:
        raise ValueError("not a number of seconds")
    logprobs = data.get("logprobs")
    if logprobs is not None and not is_shallow(logprobs):
        raise ValueError("nested too deeply")
    reasoning = data.get("reasoning")
    if not (reasoning is None or isinstance(reasoning, str)):
        raise TypeError("not what a model thought")
    return Completion(
        text,
        finish_reason,
        counts,
        latency_s,
        first_token_s,
        model,
        cached,
        logprobs,
        _names(data["left_out"]) if "left_out" in data else (),
        reasoning=reasoning,
        **_returned(data),
    )


def _returned(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a completion that only applications fill."""
    fields = {name: data[name] for name in ("metadata", "cost") if name in data}
    if "contexts" in data:
        fields["contexts"] = _names(data["contexts"])
    why = wrong_with_returned(**fields)
    if why or not is_shallow(fields.get("metadata")):
        raise ValueError(why or "nested too deeply")
    return fields


def returned_to_json(transcript: Transcript) -> list[dict[str, Any]]:
    """Return what an application returned beside each answer; an empty list if it is nothing."""
    values = []
    for index, completion in zip(transcript.filled, transcript.completions, strict=False):
        fields: dict[str, Any] = {"contexts": [*completion.contexts]}
        fields |= {"metadata": completion.metadata, "cost": completion.cost}
        if not any(message.role is Role.tool for message in transcript.messages[index + 1 :][:1]):
            fields["tool_calls"] = tool_calls_to_json(completion.tool_calls)  # its own matter
        values.append({name: value for name, value in fields.items() if value})
    return values if any(values) else []


def with_returned(transcript: Transcript, returned: Sequence[Mapping[str, Any]]) -> Transcript:
    """Return a replayed transcript with what `returned_to_json` wrote.

    Raises:
        PermanentModelError: it can't be used.
    """
    messages, completions = [*transcript.messages], [*transcript.completions]
    try:
        for number, (index, fields) in enumerate(zip(transcript.filled, returned, strict=False)):
            calls = tool_calls_from_json(fields.get("tool_calls", ()))
            calls = calls or completions[number].tool_calls
            replayed = replace(completions[number], tool_calls=calls, **_returned(fields))
            completions[number] = replayed
            messages[index] = replace(messages[index], tool_calls=calls)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        message = f"what is recorded beside the answer can't be used: {error}"
        raise PermanentModelError(message, kind=NOT_RECORDED) from None
    return replace(transcript, messages=tuple(messages), completions=tuple(completions))


def _usage(value: Any) -> Usage:
    prompt, completion, *parts = value
    if type(prompt) is not int or type(completion) is not int:
        raise TypeError("not numbers of tokens")
    if not (0 <= prompt <= MAX_TOKEN_COUNT and 0 <= completion <= MAX_TOKEN_COUNT):
        raise ValueError("not numbers of tokens")
    if not parts:
        return Usage(prompt, completion)
    cached, reasoning = parts
    if not (is_part(cached, prompt) and is_part(reasoning, completion)):
        raise ValueError("not numbers of some of the tokens")
    return Usage(prompt, completion, cached, reasoning)


def _names(value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise TypeError("not a list of names")
    return tuple(value)


def redacted(completion: Completion) -> Completion:
    """Return a completion with secrets removed from all its texts, in which servers may repeat
    headers."""
    text, logprobs = completion.text, completion.logprobs
    # Nearly all completions have no secret, and checking all texts together is faster.
    together = f"{text}\n{completion.model}\n{completion.finish_reason}\n{completion.reasoning}"
    has_parts = bool(completion.tool_calls or completion.contexts)
    has_parts |= completion.provider_state is not None or completion.metadata is not None
    if logprobs is None and not has_parts and redact(together) == together:
        return completion
    clean = _with_texts(completion, redact)
    if clean.text != text:
        clean.logprobs = None  # the single tokens would still spell the secret
    state = completion.provider_state
    if _changed(state, redact) != state:
        clean.provider_state = None  # a changed one would be useless to the provider
    return clean


def in_whole_characters(completion: Completion) -> Completion:
    """Return a completion with the halves of surrogate pairs joined in all its texts, before it is
    checked, stored and written: a file joins them, and each door shall see the same text."""
    text = completion.text
    if completion.tool_calls or completion.reasoning is not None or completion.contexts:
        texts = [text, completion.reasoning or "", *chain(*completion.tool_calls)]
        text = "".join([*texts, *completion.contexts])
    if text.isascii() or not has_surrogates(text):  # nearly all
        return completion
    return _with_texts(completion, whole_characters)


def _with_texts(completion: Completion, change: Callable[[str], str]) -> Completion:
    """Return a completion with all its texts changed, but not the provider's state."""
    return replace(
        completion,
        text=change(completion.text),
        model=completion.model and change(completion.model),
        finish_reason=completion.finish_reason and change(completion.finish_reason),
        logprobs=_changed(completion.logprobs, change),
        tool_calls=tuple([ToolCall(*map(change, call)) for call in completion.tool_calls]),
        reasoning=completion.reasoning and change(completion.reasoning),
        contexts=tuple(map(change, completion.contexts)),
        metadata=_changed(completion.metadata, change),
    )


def _changed(value: JsonValue, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _changed(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(item, change) for item in value]
    return value
