"""The beginning that the prompts of all labels have in common: the question without an answer.

It is what a model is asked if it can't score the labels.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from lve.extensions.opencompass.dialogue import Dialogue, DialogueItem, Mark, PromptBody


def shared_beginning(prompts: Sequence[PromptBody]) -> PromptBody:
    """Return the common beginning of prompts: of texts, or of dialogues with their marks closed."""
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    if len(texts) == len(prompts):
        return _common(texts)
    result: Dialogue = []
    for items in zip(*prompts, strict=False):
        first = items[0]
        if not all(item == first for item in items):
            result += _shared_part(items)
            break
        result.append(first)
    return [*result, *_closing(result)]


def _shared_part(items: Sequence[DialogueItem]) -> Dialogue:
    """Return one message with the common beginning of these; none if roles or beginnings differ."""
    messages = [item for item in items if isinstance(item, dict)]
    role = messages[0].get("role") if messages else None
    if len(messages) < len(items) or any(message.get("role") != role for message in messages):
        return []
    shared = _common([message.get("prompt", "") for message in messages])
    return [{**messages[0], "prompt": shared}] if shared.strip() else []


def _common(texts: Sequence[str]) -> str:
    return texts[0][: shared_length(texts)]


def shared_length(texts: Sequence[str]) -> int:
    """Return the length of the common prefix of all texts, in characters."""
    first, last = min(texts), max(texts)
    longest = min(len(first), len(last))
    return bisect_left(range(longest), True, key=lambda end: first[: end + 1] != last[: end + 1])


def _closing(dialogue: Dialogue) -> Dialogue:
    """Return the marks that close the open sections of a dialogue."""
    marks = [item for item in dialogue if isinstance(item, Mark)]
    still_open = [m for m in marks if m.opens and Mark(m.section, False) not in marks]
    return [Mark(mark.section, False) for mark in reversed(still_open)]
