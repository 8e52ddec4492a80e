"""Reads messages, which inside lve are as OpenAI's chat has them, for other wires."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lve.documents.json_text import decode_json
from lve.errors import PermanentModelError
from lve.messages import Message, Role, ToolCall
from lve.models.http.decode import decode, is_shallow, objects

NO_OBJECT = "not_an_object"
"""Name of arguments that are no object where an API takes only objects."""
_DATA_URL = re.compile(r"data:([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)(?:;[A-Za-z0-9-]+=[^;,]*)*;base64,")


class Inline(NamedTuple):
    """A file within a message."""

    media_type: str
    data: str
    """In base64."""


class Part(NamedTuple):
    """A part of a message that isn't text: either inline or at an address."""

    kind: str
    """`image`, `audio` or `file`."""
    inline: Inline | None
    url: str | None = None
    name: str | None = None


def parts_of(message: Message) -> Iterator[str | Part]:
    """Yield the parts of a message: texts that aren't empty, and others.

    Raises:
        PermanentModelError: lve doesn't know the type of one.
    """
    content = message.content
    for part in ({"type": "text", "text": content},) if isinstance(content, str) else content or ():
        if part.get("type") == "text":
            if text := part.get("text"):
                yield str(text)
        else:
            yield _other(part)
    if message.image_url is not None:
        yield _at_url("image", message.image_url)


def text_of(message: Message) -> str:
    """Return the texts of a message, one below the other; other parts are left out."""
    return "\n\n".join(part for part in parts_of(message) if isinstance(part, str))


def split_system(messages: Sequence[Message]) -> tuple[list[str], Sequence[Message]]:
    """Return the texts of the system messages at the beginning, and the other messages."""
    count = 0
    while count < len(messages) and messages[count].role is Role.system:
        count += 1
    texts = [text_of(message) for message in messages[:count]]
    return [text for text in texts if text], messages[count:]


def without_system(messages: Sequence[Message], *, from_: int) -> tuple[Message, ...]:
    """Return messages, those of the system from an index on as the user's."""
    later = (
        replace(message, role=Role.user) if message.role is Role.system else message
        for message in messages[from_:]
    )
    return (*messages[:from_], *later)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call, as APIs want them that don't take the text. What a model
    wrote may be no object: then it is the only value of one."""
    try:
        given = decode_json(call.arguments) if call.arguments.strip() else {}
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict) and is_shallow(given):
        return given
    return {NO_OBJECT: call.arguments}


def whole_input(pieces: str) -> Any:
    """Return the arguments of a call in a stream: the text itself if it is no JSON, because the
    model wrote none or was cut short."""
    try:
        return decode(pieces.encode("utf-8", "replace")) if pieces else {}
    except ValueError:
        return pieces


def kept_parts(
    message: Message,
    api: str,
    field: str,
    *,
    is_call: Callable[[Mapping[str, Any]], bool],
    write: Callable[[ToolCall], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the parts of an answer that its provider wants back as they were. Their calls have the
    ids of the message, which its results name, and arguments that the provider takes.

    Args:
        message: the answer.
        api: name of the API in `provider_state`.
        field: where the parts stand in it.
        is_call: whether a part is a call.
        write: returns a call as such a part.

    Returns:
        The parts; none if there are none, or if their calls are not those of the message.
    """
    state = message.provider_state
    if not isinstance(state, Mapping) or state.get("api") != api:
        return []
    parts = objects(state.get(field)) if is_shallow(state.get(field)) else []
    if sum(map(is_call, parts)) != len(message.tool_calls):
        return []
    calls = iter(message.tool_calls)
    return [{**part, **(write(next(calls)) if is_call(part) else {})} for part in parts]


def cannot_send(part: Part, provider: str) -> PermanentModelError:
    """Return the error of a part that a provider doesn't take."""
    what = part.inline.media_type if part.inline else "address"
    return PermanentModelError(
        f"{provider} takes no {part.kind} of type {what}; use a model of another provider, or "
        "convert the file",
        kind="bad_request",
    )


def _other(part: Mapping[str, Any]) -> Part:
    kind = part.get("type")
    inner = part.get(str(kind))
    if isinstance(inner, Mapping):
        if kind == "image_url" and isinstance(inner.get("url"), str):
            return _at_url("image", inner["url"])
        if kind == "input_audio" and isinstance(inner.get("data"), str):
            return Part("audio", Inline(f"audio/{inner.get('format', 'wav')}", inner["data"]))
        if kind == "file" and isinstance(inner.get("file_data"), str):
            return _at_url("file", inner["file_data"])._replace(name=inner.get("filename"))
    raise PermanentModelError(
        f"a part of type {str(kind)[:50]!r} can't be sent to this provider", kind="bad_request"
    )


def _at_url(kind: str, url: str) -> Part:
    found = _DATA_URL.match(url)
    if found is None:
        return Part(kind, None, url=url)
    return Part(kind, Inline(found[1], url[found.end() :]))
