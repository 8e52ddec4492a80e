"""Prompts and answers as plain text, and shortening of texts."""

from __future__ import annotations

from collections.abc import Iterable

from lve.documents.json_lines import json_line
from lve.escape import head
from lve.messages import Message
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult


def prompt_text(result: InstanceResult) -> str:
    """Return the messages before the first answer as text."""
    for transcript in result.transcripts:
        until = min(transcript.filled, default=len(transcript.messages))
        return messages_text(transcript.messages[:until])
    return ""


def messages_text(messages: Iterable[Message]) -> str:
    """Return messages as text, each below a line `[role]`."""
    return "\n\n".join(f"[{message.role.value}]\n{content_text(message)}" for message in messages)


def content_text(message: Message) -> str:
    """Return the text of a message; for parts that aren't text, their type in parentheses."""
    content = message.content
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"({part.get('type')})")) for part in content)


def response_text(result: InstanceResult) -> str:
    """Return the answer; several answers as JSON."""
    responses = result.responses
    if not responses:
        return ""
    if len(responses) == 1 and isinstance(responses[0], str):
        return responses[0]
    return json_line(responses)


def cut(text: str, length: int) -> str:
    """Return the first `length` characters of a text, with a note of how many more there are."""
    more = len(text) - length
    return text if more <= 0 else f"{head(text, length)}\n... ({amount(more, 'more character')})"
