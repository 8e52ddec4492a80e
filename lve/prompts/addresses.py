"""Addresses (URLs) of images, audio and video in messages.

The model's server fetches them. So a path on this machine means nothing there, and `file:` would
name a file of the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lve.errors import PromptError
from lve.escape import excerpt
from lve.messages import Message, Part, names_file
from lve.prompts.conversation import Conversation

KINDS = ("image_url", "video_url", "audio_url")
"""Types of parts that have an address, in a field of the same name."""
HINT = (
    "give a URL (https:, data:), or send an image or a sound of the test folder (no video: few "
    "servers take one) with `image: NAME` in a `prompt`"
)
_ADDRESS = r"(?i)data:|(?!file:)[a-z][a-z0-9+.-]*://"
"""Compiled where it is used, because few runs need it."""
_SHOWN = 60


def addresses(message: Message) -> Iterator[str]:
    """Yield the addresses in a message: its `image_url` and those of its parts."""
    if message.image_url is not None:
        yield message.image_url
    if not isinstance(message.content, str):
        for part in message.content or ():
            yield from part_addresses(part)


def part_addresses(part: Part) -> Iterator[str]:
    """Yield the addresses in one part of a message."""
    for kind in KINDS:
        address = address_of(part, kind)
        if address is not None:
            yield address


def address_of(part: Part, kind: str) -> str | None:
    """Return the address in field `kind` of a part: `{"url": ...}`, as OpenAI has it, or a text."""
    value = part.get(kind)
    url = value.get("url") if isinstance(value, Mapping) else value
    return url if isinstance(url, str) else None


def is_local(address: str) -> bool:
    """Whether an address names a file, not something that the model's server can fetch."""
    return re.match(_ADDRESS, address) is None


def is_certainly_local(template: str) -> bool:
    """Whether an address is local whatever fills its placeholders, like `images/{name}.png`."""
    start, brace, _ = template.partition("{")
    return is_local(template) and (not brace or "/" in start or ":" in start)


def refusal(address: str) -> str:
    """Return the message that refuses a local address."""
    return f"{excerpt(address, _SHOWN)!r} is a path: the model's server can't open files of yours"


def is_text(message: Message) -> bool:
    """Whether a message has no file and no address."""
    return message.image_url is None and isinstance(message.content, str | None)


def check_addresses(conversations: Iterable[Conversation]) -> bool:
    """Check that no message sends the path of a file instead of its content. Return whether any
    message names files of the test folder.

    Raises:
        PromptError: a message has a local address, or a request can't be written.
    """
    has_files = False
    for conversation in conversations:
        if conversation.is_text:
            continue
        messages, turns = conversation.messages, conversation.turns
        if turns is not None:
            messages = turns.request([""] * (len(turns) - 1)).messages
        for message in messages:
            content = message.content
            if is_text(message):
                continue
            for address in addresses(message):
                if is_local(address):
                    raise PromptError(f"{refusal(address)}; {HINT}", code="address")
            if content is not None and not isinstance(content, str):
                has_files = has_files or any(map(names_file, content))
    return has_files
