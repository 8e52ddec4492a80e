"""The texts of messages for models that take only text."""

from __future__ import annotations

from lve.errors import PermanentModelError
from lve.messages import Message

LOCAL = "a local model takes text only: images, audio and video need a server"


def text_of(message: Message, refusal: str = LOCAL) -> str:
    """Return the text of a message, its parts joined.

    Args:
        message: the message.
        refusal: what the error says.

    Raises:
        PermanentModelError: it holds an image or the like, kind `not_supported`.
    """
    content = message.content
    parts = [] if content is None or isinstance(content, str) else content
    if message.image_url is not None or any(part.get("type") != "text" for part in parts):
        raise PermanentModelError(refusal, kind="not_supported")
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in parts)
