"""Writes requests and reads responses of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.extensions.responses.items import input_items, response_args, state_of, tool_items
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion, ToolCall, Usage
from lve.models.chat_model import ChatRequest
from lve.models.http.answers import (
    check_calls,
    check_length,
    label,
    listed_logprobs,
    parse_object,
    text_or_none,
    token_usage,
)
from lve.models.http.failures import error_in_success, has_error, server_message
from lve.models.http.json_body import is_shallow, objects
from lve.models.http.keys import Secret
from lve.models.openai.wire import usage_detail

_STATUS = {
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "vector_store_timeout": 500,
    "failed_to_download_image": 500,
}
"""Code of a failed response -> the equivalent HTTP status."""
_POLICY = ("policy", "content_filter")
"""Words in the error code of a response that the provider withheld."""
_REFUSED = 400


def response_body(
    model: str, request: ChatRequest, left_out: frozenset[str] = frozenset()
) -> dict[str, JsonValue]:
    """Return the JSON body of a request.

    Args:
        model: the model's name at the server.
        request: the request.
        left_out: the fields that lve adds and the server refuses.
    """
    body: dict[str, Any] = {"model": model, "input": input_items(request.messages)}
    body |= response_args(request.args, left_out)
    if request.tools:
        body["tools"] = tool_items(request.tools)
    if request.stream:
        body["stream"] = True
    return body


def parse_response(
    body: bytes, *, latency_s: float = 0.0, secret: Secret | None = None
) -> Completion:
    """Return the completion in the body of a successful response.

    Raises:
        TransientModelError: the body is malformed, has no content, or the server failed.
        ContentFilteredError: the provider withheld the answer.
        PermanentModelError: the same request would fail again.
    """
    data = parse_object(body, secret=secret)
    return completion_of(data, latency_s=latency_s, secret=secret)


def completion_of(
    data: Mapping[str, Any],
    output: Sequence[Mapping[str, Any]] | None = None,
    *,
    latency_s: float,
    first_token_s: float | None = None,
    secret: Secret | None = None,
) -> Completion:
    """Return the completion in a response.

    Args:
        data: the response.
        output: the output items of a stream; None: those in the response.
        latency_s: the completion's latency.
        first_token_s: the completion's time to the first token.
        secret: the key in use, removed from messages of the server.

    Raises:
        ModelError: as for `parse_response`.
    """
    if data.get("status") in ("failed", "cancelled"):
        raise failure_of(data.get("error"), secret=secret)
    if has_error(data):
        raise error_in_success(data, secret=secret)
    items = objects(data.get("output")) if output is None else output
    calls = _calls(items)
    finish_reason = _finish_reason(data, calls)
    return Completion(
        text=_text(items, finish_reason, calls),
        finish_reason=finish_reason,
        usage=_usage(data.get("usage")),
        latency_s=latency_s,
        first_token_s=first_token_s,
        model=label(data.get("model")),
        logprobs=_logprobs(items),
        tool_calls=calls,
        reasoning=_reasoning(items),
        provider_state=state_of(items),
    )


def failure_of(error: JsonValue, *, secret: Secret | None = None) -> ModelError:
    """Return the error for a failed response; `error` is its `{code, message}`."""
    fields = dict(error) if isinstance(error, Mapping) and is_shallow(error) else {}
    code, message = text_or_none(fields.get("code")) or "", text_or_none(fields.get("message"))
    message = message or code or "the response failed"
    if any(word in code for word in _POLICY):
        text = server_message({"message": message}, b"", secret)
        return ContentFilteredError(text, kind="content_filter", status=200)
    status = _STATUS.get(code, _REFUSED if code else 500)
    return error_in_success({"error": {"code": status, "message": message}}, secret=secret)


def _finish_reason(data: JsonObject, calls: Sequence[ToolCall]) -> str | None:
    """Return the finish reason in the terms of chat completions."""
    status = data.get("status")
    if status in ("queued", "in_progress"):
        raise PermanentModelError(  # not transient: a retry would cost again
            f"the response isn't finished ({status}): lve doesn't fetch answers that are made in "
            "the background; leave `background` out",
            kind="not_supported",
        )
    if status != "incomplete":
        return "tool_calls" if calls else "stop"
    details = data.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if reason == "content_filter":
        raise ContentFilteredError(
            "the provider held the answer back (incomplete: content_filter)",
            kind="content_filter",
            status=200,
        )
    return "length" if reason == "max_output_tokens" else label(reason) or "incomplete"


def _text(items: Iterable[JsonObject], finish_reason: str | None, calls: Sequence[ToolCall]) -> str:
    """Return the answer's text: the messages that aren't commentary, or all if they all are; or the
    refusal in them.

    Raises:
        TransientModelError: there is no content, or it is too long.
    """
    messages = [item for item in items if item.get("type") == "message"]
    final = [item for item in messages if item.get("phase") != "commentary"] or messages
    parts = [part for item in final for part in _contents(item)]
    text = _joined(parts, "output_text", "text", "") or _joined(parts, "refusal", "refusal", "")
    check_length(len(text))
    has_text = any(isinstance(part.get("text"), str) for part in parts)
    if text or has_text or calls or finish_reason == "length":
        return text
    raise TransientModelError("the answer has no content", kind="empty")


def _contents(item: JsonObject) -> list[JsonObject]:
    """Return the contents of a message; some servers send a text, or parts of chat completions."""
    content = item.get("content")
    if isinstance(content, str):
        return [{"type": "output_text", "text": content}]
    return [
        {**part, "type": "output_text"} if part.get("type") == "text" else part
        for part in objects(content)
    ]


def _reasoning(items: Iterable[JsonObject]) -> str | None:
    """Return the reasoning, else its summary; None if the response has neither."""
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    content = [part for item in thoughts for part in objects(item.get("content"))]
    summary = [part for item in thoughts for part in objects(item.get("summary"))]
    text = _joined(content, "reasoning_text", "text", "\n\n")
    text = text or _joined(summary, "summary_text", "text", "\n\n")
    check_length(len(text))
    return text or None


def _joined(parts: Iterable[Mapping[str, Any]], kind: str, key: str, between: str) -> str:
    texts = (text_or_none(part.get(key)) for part in parts if part.get("type") == kind)
    return between.join(text for text in texts if text)


def _calls(items: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    call_items = [item for item in items if item.get("type") == "function_call"]
    check_calls(len(call_items))
    calls = tuple([call for item in call_items if (call := _call(item)) is not None])
    check_length(sum(len(text) for call in calls for text in call))
    return calls


def _call(item: JsonObject) -> ToolCall | None:
    """Return a tool call, None if it has no name."""
    name = text_or_none(item.get("name"))
    own_id = text_or_none(item.get("call_id")) or text_or_none(item.get("id")) or ""
    return ToolCall(own_id, name, text_or_none(item.get("arguments")) or "") if name else None


def _logprobs(items: Iterable[JsonObject]) -> list[JsonValue] | None:
    """Return the log-probabilities of the texts, None if there are none or they can't be stored as
    JSON."""
    logprobs: list[JsonValue] = []
    for item in items:
        for part in objects(item.get("content")):
            logprobs += objects(part.get("logprobs"))
    return listed_logprobs(logprobs)


def _usage(usage: JsonValue) -> Usage | None:
    """Return an answer's token counts; None if there are none or impossible ones."""
    if not isinstance(usage, Mapping):
        return None
    return token_usage(
        (usage.get("input_tokens"),),
        (usage.get("output_tokens"),),
        cached=usage_detail(usage, "input_tokens_details", "cached_tokens"),
        reasoning=usage_detail(usage, "output_tokens_details", "reasoning_tokens"),
    )
