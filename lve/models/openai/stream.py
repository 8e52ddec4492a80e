"""Joins the pieces of a streamed chat completion."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.http.answers import check_length, label, text_or_none
from lve.models.http.events import WHOLE_S, StreamAccumulator
from lve.models.http.failures import malformed
from lve.models.http.json_body import objects
from lve.models.http.keys import Secret
from lve.models.openai.reasoning import (
    REASONING_FIELDS,
    RETURNED_FIELD,
    reasoning_in,
    reasoning_of,
    state_of,
)
from lve.models.openai.tool_wire import CallAccumulator, calls_in
from lve.models.openai.wire import (
    answer_text,
    first_choice,
    logprobs_of,
    own_choice,
    parse_usage,
    reason_of,
)


class ChatAccumulator(StreamAccumulator):
    """Joins the events of one chat completion."""

    end_signs = (b'finish_reason":"', b'finish_reason": "')

    def __init__(self) -> None:
        self.first_token_at: float | None = None
        self._texts: dict[str, list[str]] = {}
        self._length = 0
        self._reasoning_length = 0
        self._calls = CallAccumulator()
        self._logprobs: list[JsonValue] = []
        self._first: JsonObject | None = None
        self._has_choices = False
        self._finish_reason: str | None = None
        self._usage: Any = None
        self._error: JsonObject | None = None
        """The choice that has an error."""

    @property
    def kept_values(self) -> int:
        """Number of log-probabilities and tool calls."""
        return len(self._logprobs) + len(self._calls)

    def add(self, chunk: JsonObject) -> None:
        """Add one event.

        Raises:
            TransientModelError: the event's choices are malformed, or the text is too long.
        """
        if self._first is None:
            self._first = {"model": chunk.get("model")}
        self._usage = chunk.get("usage") or self._usage
        if (choice := own_choice(chunk.get("choices"))) is not None:
            self._has_choices = True
            self._add_choice(choice)

    @staticmethod
    def text_in(chunk: JsonObject) -> str:
        """Return the piece of the answer's text in an event."""
        delta = (own_choice(chunk.get("choices")) or {}).get("delta")
        content = delta.get("content") if isinstance(delta, Mapping) else None
        if isinstance(content, list):  # Mistral's format for reasoning
            return "".join(text_or_none(part.get("text")) or "" for part in objects(content))
        return content if isinstance(content, str) else ""

    def completion(
        self, *, latency_s: float, first_token_s: float | None, done: bool, secret: Secret | None
    ) -> Completion:
        """Return the completion at the end of the stream."""
        if self._error is not None:
            raise self.failure(self._error, secret)
        if not done and self._finish_reason is None:
            raise malformed("the stream broke off")
        if not self._has_choices:
            first_choice({})
        message = self._message()
        calls = calls_in(message) if self._calls else ()
        return Completion(
            text=answer_text(message, self._finish_reason, calls),
            finish_reason=self._finish_reason,
            usage=parse_usage(self._usage),
            latency_s=latency_s,
            first_token_s=first_token_s,
            model=label(self._first and self._first["model"]),
            logprobs=self._logprobs or None,
            tool_calls=calls,
            reasoning=reasoning_of(message),
            provider_state=state_of(message, calls) if calls else None,
        )

    def _add_choice(self, choice: JsonObject) -> None:
        self._finish_reason = self._finish_reason or reason_of(choice)
        if self._finish_reason:
            self.patience_s = WHOLE_S
        if choice.get("error"):
            self._error = choice
        self._logprobs += logprobs_of(choice) or ()
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return
        calls = objects(delta.get("tool_calls"))
        old = delta.get("function_call")
        if isinstance(old, Mapping) and not calls:
            calls = [{"index": 0, "function": old}]
        for call in calls:
            self._calls.add(call)
        content = delta.get("content")
        if isinstance(content, list):  # Mistral's format for reasoning
            self._add_reasoning(RETURNED_FIELD, reasoning_in(content))
            content = "".join(text_or_none(part.get("text")) or "" for part in objects(content))
        self._add_text("content", content)
        self._add_text("refusal", delta.get("refusal"))
        for name in REASONING_FIELDS:
            self._add_reasoning(name, delta.get(name))
        if self.first_token_at is None and (self._length or calls):
            self.first_token_at = time.perf_counter()

    def _add_text(self, name: str, text: JsonValue) -> None:
        if isinstance(text, str):
            self._texts.setdefault(name, []).append(text)
            self._length += len(text)
            check_length(self._length)

    def _add_reasoning(self, name: str, text: JsonValue) -> None:
        if text and isinstance(text, str):
            self._texts.setdefault(name, []).append(text)
            self._reasoning_length += len(text)
            check_length(self._reasoning_length)

    def _message(self) -> dict[str, JsonValue]:
        message: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = self._calls.calls()
            # The content of the first event is often "", which would hide the calls.
            message["content"] = message.get("content") or None
        return message
