"""Converts requests and responses of OpenAI's chat completions. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lve.errors import ContentFilteredError, PermanentModelError, TransientModelError
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatRequest, is_count, is_part
from lve.models.openai.decode import decode, is_finite, is_shallow, objects
from lve.models.openai.failures import error_in_success, malformed, printable
from lve.models.openai.keys import Secret

# Made once, because `json.dumps` with options makes an encoder per call. It writes ASCII, so that a
# lone surrogate in a hostile prompt gives valid UTF-8.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
LONGEST_TEXT = 8 * 1024 * 1024
"""Most characters of an answer; no model writes as much."""
MOST_MODELS = 10_000
"""Most models of a server that are listed."""
LONGEST_LABEL = 256
"""Most characters that are kept of a model's name or a finish reason."""


def chat_body(model: str, request: ChatRequest) -> dict[str, Any]:
    """Return the JSON body of a chat completion.

    Args:
        model: the model's name at the server.
        request: the request.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [message_body(message) for message in request.messages],
    }
    for name, value in request.args.items():
        if value is not None:
            body[name] = value
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return body


def message_body(message: Message) -> dict[str, Any]:
    """Return a message in the API's format. An image becomes a part beside the text."""
    content = message.content
    if message.image_url is not None:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        image = {"type": "image_url", "image_url": {"url": message.image_url}}
        content = [*(parts or ()), image]
    return {"role": message.role.value, "content": content}


def encode(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON.

    Raises:
        PermanentModelError: a model arg can't be JSON (NaN, a date from YAML, ...).
    """
    try:
        return _ENCODER.encode(body).encode()
    except (ValueError, TypeError) as error:
        raise PermanentModelError(
            f"a model arg can't be sent as JSON: {error}", kind="bad_request"
        ) from None


def parse_success(body: bytes, *, secret: Secret | None = None) -> Mapping[str, Any]:
    """Return the JSON object of an answer with status 200.

    Args:
        body: the body.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: it isn't a JSON object, but cut short or a web page, say.
        ModelError: it is an error object, as gateways send it.
    """
    try:
        data = decode(body)
    except ValueError:
        said = body[:1000].decode("utf-8", "replace")
        start = printable((secret.hide(said) if secret else said)[:60])
        raise malformed(f"not JSON, or cut short: {start!r}") from None
    if not isinstance(data, Mapping):
        raise malformed(f"a JSON object was expected, not {type(data).__name__}")
    if data.get("error"):
        raise error_in_success(data, secret=secret)
    return data


def parse_chat(body: bytes, *, latency_s: float = 0.0, secret: Secret | None = None) -> Completion:
    """Return the completion in the body of a successful answer.

    Raises:
        TransientModelError: it is malformed, or has no choices or no content.
        ContentFilteredError: the provider withheld the answer.
        PermanentModelError: it is an error object with a permanent error.
    """
    data = parse_success(body, secret=secret)
    choice = first_choice(data)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise malformed("the choice has no message")
    finish_reason = label(choice.get("finish_reason"))
    return Completion(
        text=answer_text(message, finish_reason),
        finish_reason=finish_reason,
        usage=parse_usage(data.get("usage")),
        latency_s=latency_s,
        model=label(data.get("model")),
        logprobs=logprobs_of(choice),
    )


def first_choice(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first choice.

    Raises:
        TransientModelError: there is none, as servers under load do.
    """
    choices = data.get("choices")
    if not choices:
        raise TransientModelError("the answer has no choices", kind="empty")
    if not isinstance(choices, list) or not isinstance(choices[0], Mapping):
        raise malformed("the choices are not a list of objects")
    return choices[0]


def logprobs_of(choice: Mapping[str, Any]) -> list[Any] | None:
    """Return a choice's log-probabilities; None if it has none that can be stored."""
    found = choice.get("logprobs")
    content = found.get("content") if isinstance(found, Mapping) else None
    if not isinstance(content, list) or not is_shallow(content) or not is_finite(content):
        return None
    return content


def answer_text(message: Mapping[str, Any], finish_reason: str | None) -> str:
    """Return the text of an answer: its content, a refusal, or tool calls as JSON."""
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
    calls = objects(message.get("tool_calls"))
    if calls and is_shallow(calls):
        text = json.dumps(calls, separators=(",", ":"))
        check_length(len(text))
        return text
    if finish_reason == "length":  # a reasoning model spent all its tokens on thinking
        return ""
    raise TransientModelError("the answer has no content", kind="empty")


def check_length(characters: int) -> None:
    """Refuse an answer of more than `LONGEST_TEXT` characters."""
    if characters > LONGEST_TEXT:
        raise malformed(f"a text of more than {LONGEST_TEXT} characters")


def text_or_none(value: Any) -> str | None:
    """Return a text; None for anything else, so that a detail of a wrong type doesn't cost the
    answer."""
    return value if isinstance(value, str) else None


def label(value: Any) -> str | None:
    """Return a name, shortened to `LONGEST_LABEL` characters; None if it isn't a text."""
    text = text_or_none(value)
    return text if text is None or len(text) <= LONGEST_LABEL else text[:LONGEST_LABEL] + "..."


def parse_models(body: bytes, *, secret: Secret | None = None) -> list[str]:
    """Return the names in a server's list of models, sorted, at most `MOST_MODELS`.

    Raises:
        TransientModelError: it is no such list.
    """
    data = parse_success(body, secret=secret).get("data")
    if not isinstance(data, list):
        raise malformed("a list of models was expected")
    names = {name for one in objects(data) if (name := label(one.get("id"))) is not None}
    return sorted(names)[:MOST_MODELS]


def parse_usage(usage: Any) -> Usage | None:
    """Return the token counts; None if the server gives none or impossible ones, so that a budget
    assumes the worst case."""
    if not isinstance(usage, Mapping):
        return None
    prompt = usage.get("prompt_tokens") or 0
    completion = usage.get("completion_tokens") or 0
    if not (is_count(prompt) and is_count(completion)):
        return None
    if len(usage) > 3:  # more than these and their sum
        return _detailed(usage, prompt, completion)
    return Usage(prompt, completion)


def _detailed(usage: Mapping[str, Any], prompt: int, completion: int) -> Usage:
    """Return token counts with those of the prompt that were cached and those of reasoning, as far
    as the server gives sensible ones."""
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    if cached == 0:
        cached = usage.get("prompt_cache_hit_tokens") or 0  # DeepSeek
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    # xAI counts reasoning beside the completion, not as a part of it.
    if is_count(reasoning) and usage.get("total_tokens") == prompt + completion + reasoning:
        completion += reasoning
    return Usage(
        prompt,
        completion,
        cached if is_part(cached, prompt) else 0,
        reasoning if is_part(reasoning, completion) else 0,
    )


def _detail(usage: Mapping[str, Any], group: str, name: str) -> Any:
    details = usage.get(group)
    return (details.get(name) or 0) if isinstance(details, Mapping) else 0
