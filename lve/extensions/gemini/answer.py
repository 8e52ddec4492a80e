"""Reads answers of Google's Gemini API, whole or streamed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError, TransientModelError
from lve.extensions.gemini.request_parts import API, LVE_ID_PREFIX, STATE_PARTS
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion, ToolCall, Usage
from lve.models.http.answers import (
    MAX_LISTED_MODELS,
    arguments_text,
    check_calls,
    check_length,
    check_parts,
    label,
    listed_logprobs,
    parse_success,
    text_or_none,
    token_usage,
)
from lve.models.http.events import WHOLE_S, StreamAccumulator
from lve.models.http.failures import malformed, printable
from lve.models.http.json_body import is_finite, is_shallow, objects
from lve.models.http.keys import Secret

FINISH_REASONS = {"STOP": "stop", "MAX_TOKENS": "length"}
"""The API's finish reason -> lve's. Others become lower case."""
FILTERED_REASONS = frozenset(
    (
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    )
)
"""Finish reasons of answers that Google's filters withheld."""


def completion_of(
    data: Mapping[str, object],
    *,
    latency_s: float,
    first_token_s: float | None = None,
    secret: Secret | None = None,
) -> Completion:
    """Return the completion in a response.

    Raises:
        TransientModelError: the response is malformed, or has no candidate.
        ContentFilteredError: a filter withheld the answer, or blocked the prompt.
    """
    candidate = own_candidate(data)
    if candidate is None:
        raise _no_candidate(data.get("promptFeedback"), secret)
    reason = label(candidate.get("finishReason")) or "STOP"
    if reason in FILTERED_REASONS:
        raise _filtered(f"finishReason: {reason}", candidate.get("finishMessage"), secret)
    parts = _parts(candidate.get("content"))
    if not parts and reason == "OTHER":  # Google's words: for an unknown reason
        raise TransientModelError("the answer has no content (finishReason: OTHER)", kind="empty")
    text = _joined_text(part for part in parts if part.get("thought") is not True)
    reasoning = _joined_text(part for part in parts if part.get("thought") is True)
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


def own_candidate(data: Mapping[str, object]) -> JsonObject | None:
    """Return the candidate with the index 0, which may be left out; None if it isn't there."""
    candidates = objects(data.get("candidates"))
    return next((candidate for candidate in candidates if not candidate.get("index")), None)


def _parts(content: object) -> list[JsonObject]:
    """Return the parts of a content; none if there is no content, as in a truncated answer."""
    parts = content.get("parts", []) if isinstance(content, Mapping) else []
    if not isinstance(parts, list) or not is_shallow(parts):
        raise malformed("the parts of the answer are not a list")
    return objects(parts)


def _joined_text(parts: Iterable[JsonObject]) -> str:
    return "".join(text_or_none(part.get("text")) or "" for part in parts)


def _calls(parts: Sequence[JsonObject]) -> tuple[ToolCall, ...]:
    objects_with_call = objects([part["functionCall"] for part in parts if "functionCall" in part])
    check_calls(len(objects_with_call))
    calls = []
    for number, call in enumerate(objects_with_call):
        arguments = arguments_text(call.get("args") or {})
        id_ = label(call.get("id")) or f"{LVE_ID_PREFIX}{number}"
        calls.append(ToolCall(id_, label(call.get("name")) or "", arguments))
    return tuple(calls)


def _state(parts: Sequence[JsonObject]) -> object:
    """Return the answer's parts as `provider_state` if some are signed, which the API wants back
    unchanged; else None."""
    if not any("thoughtSignature" in part for part in parts) or not is_finite([*parts]):
        return None
    returned = [{k: v for k, v in part.items() if k in STATE_PARTS} for part in parts]
    return {"api": API, "parts": [part for part in returned if part]}


def _no_candidate(feedback: object, secret: Secret | None) -> Exception:
    """Return the error for a response without a candidate."""
    fields = feedback if isinstance(feedback, Mapping) else {}
    reason = label(fields.get("blockReason"))
    if reason is None:
        return TransientModelError("the answer has no candidates", kind="empty")
    return _filtered(f"blockReason: {reason}", fields.get("blockReasonMessage"), secret)


def _filtered(what: str, why: object, secret: Secret | None) -> ContentFilteredError:
    text = text_or_none(why) or ""
    text = printable(secret.hide(text) if secret else text)
    return ContentFilteredError(
        f"the provider held the answer back ({printable(what)})" + (f": {text}" if text else ""),
        kind="content_filter",
        status=200,
    )


def _logprobs(result: object) -> list[Any] | None:
    """Return log-probabilities in the format of OpenAI's API; None if there are none."""
    if not isinstance(result, Mapping):
        return None
    chosen = objects(result.get("chosenCandidates"))
    tops = objects(result.get("topCandidates"))
    logprobs: list[JsonValue] = [
        {**_token(token), "top_logprobs": [_token(top) for top in objects(among.get("candidates"))]}
        for token, among in zip(chosen, [*tops, *[{}] * len(chosen)], strict=False)
    ]
    return listed_logprobs(logprobs)


def _token(candidate: JsonObject) -> dict[str, JsonValue]:
    return {"token": candidate.get("token"), "logprob": candidate.get("logProbability")}


def parse_usage(usage: object) -> Usage | None:
    """Return an answer's token counts; None if there are none or impossible ones. Reasoning is
    billed, and counted, as a part of the completion."""
    if not isinstance(usage, Mapping):
        return None
    reasoning = usage.get("thoughtsTokenCount")
    return token_usage(
        (usage.get("promptTokenCount"), usage.get("toolUsePromptTokenCount")),
        (usage.get("candidatesTokenCount"), reasoning),
        cached=usage.get("cachedContentTokenCount"),
        reasoning=reasoning,
    )


def parse_models(body: bytes, *, secret: Secret | None) -> list[str]:
    """Return the names of the models that generate content, sorted.

    Raises:
        TransientModelError: the body isn't a list of models.
    """
    data = parse_success(body, secret=secret).get("models")
    if not isinstance(data, list):
        raise malformed("a list of models was expected")
    names = {
        name.removeprefix("models/")
        for model in objects(data)
        if (name := label(model.get("name"))) is not None
        and _generates_content(model.get("supportedGenerationMethods"))
    }
    return sorted(names)[:MAX_LISTED_MODELS]


def _generates_content(methods: object) -> bool:
    return not isinstance(methods, list) or not methods or "generateContent" in methods


_JOINED = ({"text"}, {"text", "thought"})
"""Fields of parts that are joined if one follows the other."""


class ContentAccumulator(StreamAccumulator):
    """Joins the events of one answer, each of which is a response with the next parts."""

    end_signs = (b'finishReason":"', b'finishReason": "', b"usageMetadata")

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._whole: dict[str, JsonValue] = {}
        self._candidate: dict[str, JsonValue] = {}
        self._parts: list[dict[str, JsonValue]] = []
        self._pieces: list[str] = []
        self._length = 0

    @property
    def kept_values(self) -> int:
        """Number of parts."""
        return len(self._parts)

    def add(self, chunk: JsonObject) -> None:
        """Add one event.

        Raises:
            TransientModelError: the answer is too long.
        """
        for name in ("usageMetadata", "modelVersion", "promptFeedback"):
            if chunk.get(name) is not None:
                self._whole[name] = chunk[name]
        if (candidate := own_candidate(chunk)) is not None:
            content = candidate.get("content")
            if isinstance(content, Mapping):
                for part in objects(content.get("parts")):
                    self._add_part(part)
            rest = {k: v for k, v in candidate.items() if k != "content" and v is not None}
            self._candidate |= rest or {"index": 0}
        if "finishReason" in self._candidate and "usageMetadata" in self._whole:
            self.patience_s = WHOLE_S  # not at once: servers have said STOP in each event

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        content = (own_candidate(chunk) or {}).get("content")
        parts = objects(content.get("parts")) if isinstance(content, Mapping) else []
        values = (part.get("text") for part in parts if part.get("thought") is not True)
        return "".join(text for text in values if isinstance(text, str))

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._candidate and "finishReason" not in self._candidate:
            feedback = self._whole.get("promptFeedback")
            if isinstance(feedback, Mapping) and feedback.get("blockReason"):  # halfway
                return completion_of(self._whole, latency_s=latency_s, secret=secret)
            raise malformed("the stream broke off")
        self._end_text()
        whole = dict(self._whole)
        if self._candidate:
            whole["candidates"] = [{**self._candidate, "content": {"parts": self._parts}}]
        return completion_of(whole, latency_s=latency_s, first_token_s=first_token_s, secret=secret)

    def _add_part(self, part: JsonObject) -> None:
        text = part.get("text")
        is_thought = part.get("thought") is True
        if self.first_token_at is None and not is_thought and (text or "functionCall" in part):
            self.first_token_at = time.perf_counter()
        if isinstance(text, str):
            self._length += len(text)
            check_length(self._length)
        last = self._parts[-1] if self._parts else None
        if (
            last is not None
            and isinstance(text, str)
            and part.keys() == last.keys()
            and last.keys() in _JOINED
            and part.get("thought") == last.get("thought")
        ):
            self._pieces.append(text)
            return
        self._end_text()
        check_parts(len(self._parts) + 1, "parts")
        self._parts.append(dict(part))

    def _end_text(self) -> None:
        """Append the pending pieces to the text of the last part."""
        if self._pieces:
            self._parts[-1]["text"] = "".join([str(self._parts[-1]["text"]), *self._pieces])
            self._pieces = []
