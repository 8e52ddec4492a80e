"""Reads streamed answers of Google's Gemini API."""

from __future__ import annotations

import time
from collections.abc import Mapping

from lve.extensions.gemini.answer import completion_of, own_candidate
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion
from lve.models.http.answers import check_length, check_parts
from lve.models.http.events import WHOLE_S, StreamAccumulator
from lve.models.http.failures import malformed
from lve.models.http.json_body import objects
from lve.models.http.keys import Secret

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
