"""The texts of a message that can have placeholders."""

from __future__ import annotations

from collections.abc import Iterator

from lve.messages import Message, file_name
from lve.prompts.addresses import part_addresses


def filled_texts(message: Message) -> Iterator[tuple[str, str]]:
    """Yield field and text of everything in a message that can have placeholders."""
    if isinstance(message.content, str):
        yield "content", message.content
    for part in message.content or () if not isinstance(message.content, str) else ():
        if isinstance(part.get("text"), str):
            yield "content", part["text"]
        if (name := file_name(part)) is not None:
            yield str(part["type"]), name
        for url in part_addresses(part):
            yield "content", url
    if message.image_url is not None:
        yield "image_url", message.image_url
