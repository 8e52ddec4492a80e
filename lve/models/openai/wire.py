"""Writes requests and reads responses of OpenAI's chat completions. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from lve.errors import ContentFilteredError, TransientModelError
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion, Message, ToolCall, Usage
from lve.models.chat_model import MAX_TOKEN_COUNT, ChatRequest, is_count, is_part
from lve.models.http.answers import (
    MAX_LABEL_CHARS,
    MAX_TEXT_CHARS,
    MESSAGE_FINISH_REASONS,
    check_length,
    label,
    listed_logprobs,
    parse_success,
    text_or_none,
    token_count,
)
from lve.models.http.failures import error_in_success, malformed, server_message
from lve.models.http.json_body import encode, objects
from lve.models.http.keys import Secret
from lve.models.openai.reasoning import REASONING_FIELDS, reasoning_of, state_of, with_state
from lve.models.openai.tool_wire import call_bodies, calls_in, tool_bodies

_SAID = frozenset({"role", "content", "refusal"})
_NOT_SAID = ("tool_calls", "function_call", *REASONING_FIELDS)
"""Fields of a message that make it more than its text."""


def chat_body(model: str, request: ChatRequest) -> dict[str, JsonValue]:
    """Return the JSON body of a chat completion.

    Args:
        model: the model's name at the server.
        request: the request.
    """
    body: dict[str, JsonValue] = {
        "model": model,
        "messages": [message_body(message) for message in request.messages],
    }
    for name, value in request.args.items():
        if value is not None:
            body[name] = value
    if request.tools:
        body["tools"] = tool_bodies(request.tools)
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return body


def message_body(message: Message) -> dict[str, JsonValue]:
    """Return a message in the API's format. Its `image_url` becomes a part of the content."""
    content: Any = message.content
    if message.image_url is not None:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        image = {"type": "image_url", "image_url": {"url": message.image_url}}
        content = [*(parts or ()), image]
    body: dict[str, Any] = {"role": message.role._value_, "content": content}
    if message.tool_calls:
        body["tool_calls"] = call_bodies(message.tool_calls)
        body["content"] = content or None
        with_state(body, message)
    elif message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body


def parse_chat(body: bytes, *, latency_s: float = 0.0, secret: Secret | None = None) -> Completion:
    """Return the completion in the body of a successful response.

    Raises:
        TransientModelError: the body is malformed, or has no choices or no content.
        ContentFilteredError: the provider withheld the answer.
        PermanentModelError: the body is an error object with a permanent error.
    """
    data = parse_success(body, secret=secret)
    if (ordinary := _ordinary(data, latency_s)) is not None:
        return ordinary
    choice = first_choice(data, secret)
    message = choice.get("message")
    # JSON, so a dict; checking for an abstract class would take ten times as long.
    if not isinstance(message, dict):
        raise malformed("the choice has no message")
    finish_reason = reason_of(choice)
    asks = message.get("tool_calls") or message.get("function_call")
    calls = calls_in(message) if asks else ()
    completion = Completion(
        answer_text(message, finish_reason, calls),
        finish_reason,
        parse_usage(data.get("usage")),
        latency_s,
        None,
        label(data.get("model")),
        False,
        logprobs_of(choice),
        (),
        calls,
        reasoning_of(message),
    )
    if calls:
        completion.provider_state = state_of(message, calls)
    return completion


def _ordinary(data: Any, latency_s: float) -> Completion | None:
    """Return the completion in a response that has what nearly all have: one choice with a text.
    None for others. This is all of `parse_chat` that such a response needs, without its calls."""
    try:
        (choice,) = data["choices"]
        message, reason, model = choice["message"], choice["finish_reason"], data["model"]
        content = message["content"]
    except (KeyError, TypeError, ValueError):
        return None
    if (
        type(content) is str is type(model)
        and 0 < len(content) <= MAX_TEXT_CHARS
        and len(model) <= MAX_LABEL_CHARS
        and (reason == "stop" or reason == "length")
        and not (choice.get("index") or choice.get("logprobs") or choice.get("error"))
        and (_SAID.issuperset(message) or not any(map(message.get, _NOT_SAID)))
    ):
        usage = parse_usage(data.get("usage"))
        completion = Completion(content, reason, usage, latency_s, None, model)
        completion.is_plain = bool(usage and not (usage.cached_tokens or usage.reasoning_tokens))
        return completion
    return None


def first_choice(data: JsonObject, secret: Secret | None = None) -> JsonObject:
    """Return the choice of a response with the index 0.

    Raises:
        TransientModelError: there is none, which servers under load send.
        ModelError: the choice has an error in place of an answer, or beside it.
    """
    choice = own_choice(data.get("choices"))
    if choice is None:
        says = server_message(data, encode(data), secret) if data else ""
        raise TransientModelError(
            "the answer has no choices" + (says and f": {says}"), kind="empty"
        )
    if choice.get("error"):
        raise error_in_success(choice, secret=secret)
    return choice


def own_choice(choices: JsonValue) -> JsonObject | None:
    """Return the choice with the index 0, wherever it is among those of a response or event; None
    if it isn't there. A choice without an index is the first one.

    Raises:
        TransientModelError: the choices aren't a list of objects.
    """
    if not choices:
        return None
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise malformed("the choices are not a list of objects")
    if not choices[0].get("index"):
        return choices[0]
    return next((choice for choice in objects(choices) if not choice.get("index")), None)


def reason_of(choice: JsonObject) -> str | None:
    """Return a choice's finish reason: a text, or an object with a type (SGLang); some gateways
    send the words of the API behind them."""
    reason = choice.get("finish_reason")
    reason = label(reason.get("type") if isinstance(reason, dict) else reason)
    return reason and MESSAGE_FINISH_REASONS.get(reason.lower(), reason)


def logprobs_of(choice: JsonObject) -> list[JsonValue] | None:
    """Return a choice's log-probabilities, None if it has none or they can't be stored as JSON."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, dict):
        return None
    content = logprobs.get("content") or _side_by_side(logprobs)
    return listed_logprobs(content) if isinstance(content, list) else None


def _side_by_side(logprobs: JsonObject) -> list[JsonValue]:
    """Return the entries of log-probabilities in the format of text completions, which Together and
    Fireworks also use for chats: lists of tokens, of numbers and of alternatives."""
    tokens, numbers, tops = map(logprobs.get, ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list) or not isinstance(numbers, list):
        return []
    tops = tops if isinstance(tops, list) else []
    return [
        {"token": token, "logprob": number, "top_logprobs": _alternatives(top)}
        for token, number, top in zip_longest(tokens, numbers, tops[: len(tokens)])
    ]


def _alternatives(top: JsonValue) -> list[JsonValue]:
    if isinstance(top, dict):  # token -> its log-probability
        return [{"token": token, "logprob": number} for token, number in top.items()]
    return [*objects(top)]


def answer_text(
    message: JsonObject, finish_reason: str | None, calls: Sequence[ToolCall] = ()
) -> str:
    """Return the text of an answer: its content or refusal; "" if it only calls tools.

    Raises:
        ContentFilteredError: the provider withheld the answer.
        TransientModelError: there is no content, or it is too long.
    """
    if finish_reason == "content_filter":
        raise ContentFilteredError(
            "the provider held the answer back (finish_reason: content_filter)",
            kind="content_filter",
            status=200,
        )
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(text_or_none(part.get("text")) or "" for part in objects(content))
    refusal = text_or_none(message.get("refusal"))
    if isinstance(content, str) and (content or not refusal):
        check_length(len(content))
        return content
    if refusal:
        check_length(len(refusal))
        return refusal
    if calls or finish_reason == "length":  # a model may spend all its tokens on reasoning
        return ""
    raise TransientModelError("the answer has no content", kind="empty")


def parse_usage(usage: JsonValue) -> Usage | None:
    """Return an answer's token counts; None if there are none or impossible ones, so that a budget
    assumes the worst case."""
    if not isinstance(usage, dict):
        return None
    prompt = usage.get("prompt_tokens") or 0
    completion = usage.get("completion_tokens") or 0
    are_whole = type(prompt) is int is type(completion)
    if not (are_whole and 0 <= prompt <= MAX_TOKEN_COUNT and 0 <= completion <= MAX_TOKEN_COUNT):
        prompt, completion = token_count(prompt), token_count(completion)
        if not (is_count(prompt) and is_count(completion)):
            return None
    if len(usage) > 3:  # not only these two and their sum
        return _detailed(usage, prompt, completion)
    return Usage(prompt, completion)


def _detailed(usage: JsonObject, prompt: int, completion: int) -> Usage:
    """Return the token counts with the cached part of the prompt and the reasoning part of the
    completion."""
    cached = usage_detail(usage, "prompt_tokens_details", "cached_tokens")
    if cached == 0:
        cached = usage.get("prompt_cache_hit_tokens") or 0  # DeepSeek
    reasoning = usage_detail(usage, "completion_tokens_details", "reasoning_tokens")
    # xAI counts reasoning in addition to the completion, not as a part of it.
    if is_count(reasoning) and usage.get("total_tokens") == prompt + completion + reasoning:
        completion += reasoning
    # Not `token_usage`: this runs for every answer, and the counts are checked already.
    return Usage(
        prompt,
        completion,
        cached if is_part(cached, prompt) else 0,
        reasoning if is_part(reasoning, completion) else 0,
    )


def usage_detail(usage: JsonObject, group: str, name: str) -> JsonValue:
    """Return `usage[group][name]`, a part of a token count; 0 if there is none."""
    details = usage.get(group)
    return token_count(details.get(name)) if isinstance(details, dict) else 0
