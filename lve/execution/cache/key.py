"""What makes two requests the same: the key of the cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from lve.execution.json_text import canonical_json
from lve.messages import Message
from lve.models.chat_model import ChatRequest

KEY_BYTES = 16
"""128 bits: among 10^12 entries the chance of one collision is below 10^-14."""


def request_key(identity: Mapping[str, Any], request: ChatRequest) -> str:
    """Return the cache key of a request, as hexadecimal text.

    Everything that can change the answer is in it: the model's identity (provider, endpoint, served
    model, ...), the messages with their images, the model args, and the repeat index. Not in it:
    whether the answer is streamed, a recorded completion, and the variables' names, none of which
    reaches the model. The key is the same in every process, whatever the order of the args.

    Args:
        identity: `ChatModel.identity`; a model whose identity is None must not be cached.
        request: what would be sent.
    """
    return key_maker(identity)(request)


def key_maker(identity: Mapping[str, Any]) -> Callable[[ChatRequest], str]:
    """Return `request_key` for one model; what its requests have in common is written once."""
    start = f"[{canonical_json(dict(identity))},"

    known_args: Mapping[str, Any] | None = None
    args = ""

    def key_of(request: ChatRequest) -> str:
        nonlocal known_args, args
        if request.args is not known_args:  # the requests of a test have one object in common
            known_args, args = request.args, canonical_json(dict(request.args))
        messages = canonical_json([_message(message) for message in request.messages])
        content = f"{start}{messages},{args},{request.repeat}]"
        if request.prompt is not None:
            content += canonical_json([request.prompt, request.score])
        return blake2b(content.encode("ascii"), digest_size=KEY_BYTES).hexdigest()

    return key_of


def _message(message: Message) -> tuple[Any, ...]:
    # `_value_` skips the descriptor of Enum.value, which costs a third of this function.
    if message.image_url is None:
        return (message.role._value_, message.content)
    return (message.role._value_, message.content, message.image_url)
