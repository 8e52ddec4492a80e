"""A conversation for people to read: who said what, escaped and clipped."""

from __future__ import annotations

from collections.abc import Iterator

from lve.messages import Message
from lve.reporting.escape import ELLIPSIS, clip, escape
from lve.results.records import InstanceResult

MAX_LINES = 40
"""Of one message."""
MAX_LINE = 400
"""Columns of one line of a message; terminals wrap what is wider than they are."""


def transcript_lines(result: InstanceResult, *, width: int) -> Iterator[str]:
    """Yield the transcripts of an instance, line by line, without line ends.

    Args:
        result: with transcripts.
        width: columns of the terminal.
    """
    for number, transcript in enumerate(result.transcripts, 1):
        if len(result.transcripts) > 1:
            name = f" {transcript.name}" if transcript.name else ""
            yield escape(f"run {number}{name}")
        for index, message in enumerate(transcript.messages):
            answered = " (answer)" if index in transcript.filled else ""
            yield f"[{message.role}]{answered}"
            for line in _content_lines(message):
                yield f"  {clip(line, max(width, MAX_LINE))}"


def _content_lines(message: Message) -> Iterator[str]:
    content = message.content
    if content is not None and not isinstance(content, str):
        content = "\n".join(str(part.get("text", f"({part.get('type')})")) for part in content)
    lines = (content or "").split("\n", MAX_LINES)
    yield from (escape(line[: 4 * MAX_LINE]) for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield f"{ELLIPSIS} ({len(lines[MAX_LINES])} more characters)"
    if message.image_url:
        yield f"(image {clip(escape(message.image_url[:200]), 80)})"
