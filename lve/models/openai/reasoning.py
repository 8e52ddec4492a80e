"""Reads the reasoning in answers of chat completions, and sends it back where a server wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.json_types import JsonObject, JsonValue
from lve.messages import Message, ToolCall
from lve.models.http.answers import check_length, text_or_none
from lve.models.http.json_body import objects

API = "chat"
"""Name of the API in `Completion.provider_state`."""
RETURNED_FIELD = "reasoning_content"
"""The field that DeepSeek wants back with the results of tools."""
REASONING_FIELDS = (RETURNED_FIELD, "reasoning")
"""Fields of a message with reasoning: the first in DeepSeek, xAI, vLLM, SGLang and llama.cpp, the
second in OpenRouter, Groq, Ollama and later versions of vLLM. Some send both."""


def reasoning_of(message: JsonObject) -> str | None:
    """Return the reasoning in an answer's message, None if there is none.

    Raises:
        TransientModelError: it is too long.
    """
    # Without loops, because it runs for every answer.
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if not reasoning:
        content = message.get("content")
        return reasoning_in(content) if isinstance(content, list) else None
    text = text_or_none(reasoning)
    check_length(len(text or ""))
    return text


def reasoning_in(content: Sequence[JsonValue]) -> str | None:
    """Return the reasoning in the parts of a content (Mistral's type `thinking`), None if there is
    none."""
    thoughts = [part for part in objects(content) if part.get("type") == "thinking"]
    parts = [inner for part in thoughts for inner in objects(part.get("thinking"))]
    text = "".join(text_or_none(inner.get("text")) or "" for inner in parts)
    check_length(len(text))
    return text or None


def state_of(message: JsonObject, calls: Sequence[ToolCall]) -> dict[str, Any] | None:
    """Return the `provider_state` of an answer: the reasoning that led to its tool calls, without
    which DeepSeek refuses the next request; None if there is none."""
    thought = message.get(RETURNED_FIELD) if calls else None
    return {"api": API, RETURNED_FIELD: thought} if thought and isinstance(thought, str) else None


def with_state(body: dict[str, JsonValue], message: Message) -> None:
    """Add the reasoning in the message's `provider_state`, if any, to its `body`."""
    state = message.provider_state
    if not (isinstance(state, Mapping) and state.get("api") == API):
        return
    thought = state.get(RETURNED_FIELD)
    if isinstance(thought, str):
        body[RETURNED_FIELD] = thought
