"""Reads answers of Google's Gemini API. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError, TransientModelError
from lve.messages import Completion, ToolCall, Usage
from lve.models.chat_model import is_count, is_part
from lve.models.gemini.request import API, OUR_ID, STATE_PARTS
from lve.models.http.answers import (
    MOST_MODELS,
    arguments_text,
    check_calls,
    check_length,
    label,
    parse_success,
    text_or_none,
)
from lve.models.http.decode import is_finite, is_shallow, objects
from lve.models.http.failures import malformed, printable
from lve.models.http.keys import Secret

FINISH_REASONS = {"STOP": "stop", "MAX_TOKENS": "length"}
"""The API's reason -> the one that lve's checks know. Others are written in small letters."""
WITHHELD = frozenset(
    (
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    )
)
"""Reasons with which Google's filters stop an answer."""


def parse_content(body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
    """Return the completion in the body of a successful answer.

    Raises:
        TransientModelError: it is malformed, or has no candidate.
        ContentFilteredError: a filter stopped the prompt or the answer.
    """
    data = parse_success(body, secret=secret)
    return completion_of(data, latency_s=latency_s, secret=secret)


def completion_of(
    data: Mapping[str, Any],
    *,
    latency_s: float,
    first_token_s: float | None = None,
    secret: Secret | None = None,
) -> Completion:
    """Return the completion of a whole answer; arguments and errors as in `parse_content`."""
    candidates = objects(data.get("candidates"))
    if not candidates:
        raise _blocked(data.get("promptFeedback"), secret)
    candidate = candidates[0]
    reason = label(candidate.get("finishReason")) or "STOP"
    if reason in WITHHELD:
        raise _withheld(f"finishReason: {reason}", candidate.get("finishMessage"), secret)
    parts = _parts(candidate.get("content"))
    said = [part for part in parts if part.get("thought") is not True]
    thoughts = [part for part in parts if part.get("thought") is True]
    text, reasoning = _texts(said), _texts(thoughts)
    check_length(len(text) + len(reasoning))
    calls = _calls(parts)
    finish_reason = FINISH_REASONS.get(reason, reason.lower())
    return Completion(
        text=text,
        finish_reason="tool_calls" if calls and reason == "STOP" else finish_reason,
        usage=parse_usage(data.get("usageMetadata")),
        latency_s=latency_s,
        first_token_s=first_token_s,
        model=label(data.get("modelVersion")),
        logprobs=_logprobs(candidate.get("logprobsResult")),
        tool_calls=calls,
        reasoning=reasoning or None,
        provider_state=_state(parts),
    )


def _parts(content: Any) -> list[Mapping[str, Any]]:
    """Return the parts of a content; none if it was left out, as for a cut answer."""
    parts = content.get("parts", []) if isinstance(content, Mapping) else []
    if not isinstance(parts, list) or not is_shallow(parts):
        raise malformed("the parts of the answer are not a list")
    return objects(parts)


def _texts(parts: Sequence[Mapping[str, Any]]) -> str:
    return "".join(text_or_none(part.get("text")) or "" for part in parts)


def _calls(parts: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    given = objects([part["functionCall"] for part in parts if "functionCall" in part])
    check_calls(len(given))
    calls = []
    for number, call in enumerate(given):
        arguments = arguments_text(call.get("args") or {})
        id_ = label(call.get("id")) or f"{OUR_ID}{number}"
        calls.append(ToolCall(id_, label(call.get("name")) or "", arguments))
    return tuple(calls)


def _state(parts: Sequence[Mapping[str, Any]]) -> Any:
    """Return the answer's parts if some are signed, which the API wants back unchanged."""
    if not any("thoughtSignature" in part for part in parts):
        return None
    kept = [{k: v for k, v in part.items() if k in STATE_PARTS} for part in parts]
    return {"api": API, "parts": [part for part in kept if part]}


def _blocked(feedback: Any, secret: Secret | None) -> Exception:
    """Return why there is no candidate."""
    given = feedback if isinstance(feedback, Mapping) else {}
    reason = label(given.get("blockReason"))
    if reason is None:
        return TransientModelError("the answer has no candidates", kind="empty")
    return _withheld(f"blockReason: {reason}", given.get("blockReasonMessage"), secret)


def _withheld(what: str, why: Any, secret: Secret | None) -> ContentFilteredError:
    said = text_or_none(why) or ""
    said = printable(secret.hide(said) if secret else said)
    return ContentFilteredError(
        f"the provider held the answer back ({printable(what)})" + (f": {said}" if said else ""),
        kind="content_filter",
        status=200,
    )


def _logprobs(result: Any) -> list[Any] | None:
    """Return log-probabilities as OpenAI's API writes them; None if there are none."""
    if not isinstance(result, Mapping) or not (is_shallow(result) and is_finite(result)):
        return None
    chosen = objects(result.get("chosenCandidates"))
    tops = objects(result.get("topCandidates"))
    found = [
        {**_token(one), "top_logprobs": [_token(top) for top in objects(among.get("candidates"))]}
        for one, among in zip(chosen, [*tops, *[{}] * len(chosen)], strict=False)
    ]
    return found or None


def _token(candidate: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": candidate.get("token"), "logprob": candidate.get("logProbability")}


def parse_usage(usage: Any) -> Usage | None:
    """Return the token counts; None if there are none or impossible ones. Thoughts are billed, and
    counted, as a part of the completion."""
    if not isinstance(usage, Mapping):
        return None
    asked, for_tools, said, thought = (
        usage.get(name) or 0
        for name in (
            *("promptTokenCount", "toolUsePromptTokenCount"),
            *("candidatesTokenCount", "thoughtsTokenCount"),
        )
    )
    if not all(map(is_count, (asked, for_tools, said, thought))):
        return None
    prompt, completion = asked + for_tools, said + thought
    if not (is_count(prompt) and is_count(completion)):
        return None
    cached = usage.get("cachedContentTokenCount") or 0
    return Usage(prompt, completion, cached if is_part(cached, prompt) else 0, thought)


def parse_models(body: bytes, *, secret: Secret | None) -> list[str]:
    """Return the names of the models that generate contents, sorted.

    Raises:
        TransientModelError: it is no list of models.
    """
    data = parse_success(body, secret=secret).get("models")
    if not isinstance(data, list):
        raise malformed("a list of models was expected")
    names = {
        name.removeprefix("models/")
        for one in objects(data)
        if (name := label(one.get("name"))) is not None
        and "generateContent" in (one.get("supportedGenerationMethods") or ("generateContent",))
    }
    return sorted(names)[:MOST_MODELS]
