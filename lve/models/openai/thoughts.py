"""What models behind chat completions thought, as servers tell it beside the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.messages import Message, ToolCall
from lve.models.http.answers import check_length, text_or_none
from lve.models.http.decode import objects

API = "chat"
"""Names the API in `Completion.provider_state`."""
WANTED_BACK = "reasoning_content"
FIELDS = (WANTED_BACK, "reasoning")
"""Fields of a message: the first of DeepSeek, xAI, vLLM, SGLang and llama.cpp, the other of
OpenRouter, Groq, Ollama and later versions of vLLM. Some send both."""


def reasoning_of(message: Mapping[str, Any]) -> str | None:
    """Return what the model thought; None if the server doesn't tell.

    Raises:
        TransientModelError: it is too long.
    """
    # Without loops, because it runs for every answer.
    found = message.get("reasoning_content") or message.get("reasoning")
    if not found:
        content = message.get("content")
        return thought_in(content) if isinstance(content, list) else None
    text = text_or_none(found)
    check_length(len(text or ""))
    return text


def thought_in(content: Sequence[Any]) -> str | None:
    """Return what the parts of a content say that the model thought (Mistral's `thinking`)."""
    thoughts = [part for part in objects(content) if part.get("type") == "thinking"]
    parts = [inner for part in thoughts for inner in objects(part.get("thinking"))]
    text = "".join(text_or_none(inner.get("text")) or "" for inner in parts)
    check_length(len(text))
    return text or None


def state_of(message: Mapping[str, Any], calls: Sequence[ToolCall]) -> dict[str, Any] | None:
    """Return what the server wants back with the results of tools. DeepSeek refuses a request
    without the thoughts that led to a call."""
    thought = message.get(WANTED_BACK) if calls else None
    return {"api": API, WANTED_BACK: thought} if thought and isinstance(thought, str) else None


def with_state(body: dict[str, Any], message: Message) -> None:
    """Add what the server wants back to a message's body."""
    state = message.provider_state
    if not (isinstance(state, Mapping) and state.get("api") == API):
        return
    thought = state.get(WANTED_BACK)
    if isinstance(thought, str):
        body[WANTED_BACK] = thought
