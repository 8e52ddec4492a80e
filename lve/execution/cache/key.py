"""Computes the cache key of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from json.encoder import encode_basestring_ascii

from lve.documents.json_lines import canonical_json
from lve.messages import Message
from lve.models.chat_model import ChatRequest

KEY_BYTES = 16
"""128 bits: the chance of a collision among 10^12 entries is below 10^-14."""


def request_key(identity: Mapping[str, object], request: ChatRequest) -> str:
    """Return the cache key of a request, as hexadecimal text.

    It depends on everything that can change the answer: the model's identity, the messages with
    their images, the model args and the repeat index. It doesn't depend on what the model never
    gets: streaming, the recorded completion and the names of variables. It is the same in every
    process and for any order of the args.

    Args:
        identity: `ChatModel.identity`, which must not be None.
        request: the request.
    """
    return key_maker(identity)(request)


def key_maker(identity: Mapping[str, object]) -> Callable[[ChatRequest], str]:
    """Return `request_key` for one model: a function that is faster for many requests."""
    start = f"[{canonical_json(dict(identity))},".encode("ascii")
    begun = blake2b(start, digest_size=KEY_BYTES)

    known_args: Mapping[str, object] | None = None
    args = ""

    def key_of(request: ChatRequest) -> str:
        nonlocal known_args, args
        if request.args is not known_args:  # all requests of a test share one args object
            known_args, args = request.args, canonical_json(dict(request.args))
        several = request.messages  # nearly always one, and a call from C takes longer
        messages = _message(several[0]) if len(several) == 1 else ",".join(map(_message, several))
        content = f"[{messages}],{args},{request.repeat}]"
        if request.prompt is not None:
            content += canonical_json([request.prompt, request.score])
        elif request.score:
            content += canonical_json([None, True])
        if request.tools:
            content += canonical_json([tool._asdict() for tool in request.tools])
        whole = begun.copy()
        whole.update(content.encode("ascii"))
        return whole.hexdigest()

    return key_of


def _message(message: Message) -> str:
    """Return what a key depends on of a message, as canonical JSON."""
    role, content = message.role._value_, message.content  # `value` is a descriptor, and slow
    if (
        type(content) is str
        and message.image_url is None
        and not message.tool_calls
        and not message.tool_call_id
        and message.provider_state is None
    ):
        return f'["{role}",{encode_basestring_ascii(content)}]'
    if message.tool_calls or message.tool_call_id or message.provider_state is not None:
        calls = [*map(list, message.tool_calls)]
        what = [calls, message.tool_call_id, message.provider_state]
        return canonical_json([role, content, message.image_url, what])
    if message.image_url is None:
        return canonical_json([role, content])
    return canonical_json([role, content, message.image_url])
