"""Gives extractors the texts of answers, with the tools that these call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lve.messages import ToolCall, Transcript

Extractor = Callable[[str], str]


class AnswerText(str):
    """An answer's text, which an extractor may ask for the tools that the answer calls."""

    calls: tuple[ToolCall, ...] = ()


def extracted(run: Transcript, extract: Extractor) -> Transcript:
    """Return a run with what an extractor makes of each answer."""
    messages = list(run.messages)
    for index in {*run.filled, len(messages) - 1}:
        content = messages[index].content
        if isinstance(content, str):
            text = AnswerText(content)
            text.calls = messages[index].tool_calls
            messages[index] = replace(messages[index], content=extract(text))
    return replace(run, messages=tuple(messages))
