"""The wire format of OpenAI's chat completions: requests to bodies, bodies to completions.

Pure functions, the same for every transport.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lve.errors import ContentFilteredError, PermanentModelError, TransientModelError
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatRequest, is_count
from lve.models.openai.decode import decode, is_finite, is_shallow, objects
from lve.models.openai.failures import error_in_success, malformed, printable
from lve.models.openai.secret import Secret

# Made once: `json.dumps` with options makes an encoder per call. ASCII, so that a lone surrogate
# in a hostile prompt still gives valid UTF-8.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
LONGEST_TEXT = 8 * 1024 * 1024
"""Characters of an answer. No model writes as much, and everything behind would have to read it."""
LONGEST_LABEL = 256
"""Characters of a model's name or a finish reason that are kept."""


def chat_body(model: str, request: ChatRequest, *, renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON body of a chat completion.

    Args:
        model: the name that the server knows.
        request: what to ask.
        renamed: model args that this server wants under another name, our name -> its name.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [message_body(message) for message in request.messages],
    }
    for name, value in request.args.items():
        if value is not None:
            body[renamed.get(name, name)] = value
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return body


def message_body(message: Message) -> dict[str, Any]:
    """Return one message as the API wants it; an image becomes a part beside the text."""
    content = message.content
    if message.image_url is not None:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        image = {"type": "image_url", "image_url": {"url": message.image_url}}
        content = [*(parts or ()), image]
    return {"role": message.role.value, "content": content}


def encode(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON.

    Raises:
        PermanentModelError: a model arg is not JSON (NaN, a date from YAML, ...).
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
        body: of the answer.
        secret: the key in use; blotted out should the server repeat it.

    Raises:
        TransientModelError: it is cut short, a web page, or anything but an object.
        ModelError: it is an error object all the same, as gateways send; of its kind.
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
        TransientModelError: malformed, without choices, or without content.
        ContentFilteredError: the provider held the answer back.
        PermanentModelError: the body is an error object of a permanent kind.
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
    """Return the first choice, or raise a TransientModelError: servers under load send none."""
    choices = data.get("choices")
    if not choices:
        raise TransientModelError("the answer has no choices", kind="empty")
    if not isinstance(choices, list) or not isinstance(choices[0], Mapping):
        raise malformed("the choices are not a list of objects")
    return choices[0]


def logprobs_of(choice: Mapping[str, Any]) -> list[Any] | None:
    """Return a choice's log-probabilities; None where there are none, or none that can be kept."""
    found = choice.get("logprobs")
    content = found.get("content") if isinstance(found, Mapping) else None
    if not isinstance(content, list) or not is_shallow(content) or not is_finite(content):
        return None
    return content


def answer_text(message: Mapping[str, Any], finish_reason: str | None) -> str:
    """Return the text of an answer. A refusal is an answer; tool calls are given as JSON."""
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
    if finish_reason == "length":  # a reasoning model that spent all its tokens on thinking
        return ""
    raise TransientModelError("the answer has no content", kind="empty")


def check_length(characters: int) -> None:
    """Refuse an answer that is longer than any."""
    if characters > LONGEST_TEXT:
        raise malformed(f"a text of more than {LONGEST_TEXT} characters")


def text_or_none(value: Any) -> str | None:
    """Return a text, None for anything else: what is only reported must not cost the answer."""
    return value if isinstance(value, str) else None


def label(value: Any) -> str | None:
    """Return a text that names something, cut where it is longer than names are."""
    text = text_or_none(value)
    return text if text is None or len(text) <= LONGEST_LABEL else text[:LONGEST_LABEL] + "..."


def parse_usage(usage: Any) -> Usage | None:
    """Return the token counts, None where the server gives none, or none that can be: a budget
    then counts with the worst case."""
    if not isinstance(usage, Mapping):
        return None
    prompt = usage.get("prompt_tokens") or 0
    completion = usage.get("completion_tokens") or 0
    return Usage(prompt, completion) if is_count(prompt) and is_count(completion) else None
