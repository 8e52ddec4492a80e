"""Asking in words where labels can't be scored: what the prompts of all labels share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from lve.prompts.templates.dialogue import Dialogue, DialogueItem, Mark, Prompt


def shared_beginning(prompts: Sequence[Prompt]) -> Prompt:
    """Return the beginning that the prompts of all labels share: the question without an answer."""
    if all(isinstance(prompt, str) for prompt in prompts):
        return _common(prompts)
    result: Dialogue = []
    for items in zip(*prompts, strict=False):
        first = items[0]
        if not all(item == first for item in items):
            result += _shared_part(items)
            break
        result.append(first)
    return [*result, *_closing(result)]


def _shared_part(items: Sequence[DialogueItem]) -> Dialogue:
    """Return what messages of one role begin with, if anything."""
    first = items[0]
    if not all(
        isinstance(item, Mapping) and item.get("role") == first.get("role") for item in items
    ):
        return []
    texts = [item.get("prompt", "") for item in items]
    shared = _common(texts)
    return [{**first, "prompt": shared}] if shared.strip() else []


def _common(texts: Sequence[str]) -> str:
    return texts[0][: shared_length(texts)]


def shared_length(texts: Sequence[str]) -> int:
    """Return how many characters all texts have in common, from the first on."""
    first, last = min(texts), max(texts)
    longest = min(len(first), len(last))
    return bisect_left(range(longest), True, key=lambda end: first[: end + 1] != last[: end + 1])


def _closing(dialogue: Dialogue) -> Dialogue:
    """Return the marks that end the sections which are still open."""
    marks = [item for item in dialogue if isinstance(item, Mark)]
    still_open = [m for m in marks if m.opens and Mark(m.section, False) not in marks]
    return [Mark(mark.section, False) for mark in reversed(still_open)]
