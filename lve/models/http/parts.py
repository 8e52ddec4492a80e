"""Reads the parts of messages for APIs other than OpenAI's; lve keeps messages in the format of
OpenAI's chat completions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from lve.documents.json_text import decode_json, whole_characters
from lve.errors import PermanentModelError
from lve.escape import head
from lve.json_types import JsonValue
from lve.messages import Message, Role, ToolCall
from lve.models.http.json_body import decode, is_shallow, objects
from lve.named_tuples import NamedTuple

NOT_AN_OBJECT = "not_an_object"
"""Key for arguments that aren't an object, where an API takes only objects."""
_DATA_URL = re.compile(r"data:([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)(?:;[A-Za-z0-9-]+=[^;,]*)*;base64,")


class Inline(NamedTuple):
    """A file within a message."""

    media_type: str
    data: str
    """The content in base64."""


class Part(NamedTuple):
    """A part of a message that isn't text: a file, either inline or at a URL."""

    kind: str
    """`image`, `audio` or `file`."""
    inline: Inline | None
    url: str | None = None
    name: str | None = None


def parts_of(message: Message) -> Iterator[str | Part]:
    """Yield the parts of a message: non-empty texts, and files.

    Raises:
        PermanentModelError: a part has an unknown type.
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
    """Return the texts of a message, separated by blank lines; files are left out."""
    return "\n\n".join(part for part in parts_of(message) if isinstance(part, str))


def split_system(messages: Sequence[Message]) -> tuple[list[str], Sequence[Message]]:
    """Return the texts of the system messages at the beginning, and the other messages."""
    count = 0
    while count < len(messages) and messages[count].role is Role.system:
        count += 1
    texts = [text_of(message) for message in messages[:count]]
    return [text for text in texts if text], messages[count:]


def without_system(messages: Sequence[Message], *, from_: int) -> tuple[Message, ...]:
    """Return the messages; system messages from index `from_` on become user messages."""
    later = (
        replace(message, role=Role.user) if message.role is Role.system else message
        for message in messages[from_:]
    )
    return (*messages[:from_], *later)


def arguments_object(call: ToolCall) -> dict[str, JsonValue]:
    """Return the arguments of a tool call as an object, for APIs that don't take text. If the model
    wrote something else, the object is `{NOT_AN_OBJECT: text}`."""
    try:
        value = decode_json(call.arguments) if call.arguments.strip() else {}
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and is_shallow(value):
        return value
    return {NOT_AN_OBJECT: call.arguments}


def parsed_arguments(text: str) -> JsonValue:
    """Return the parsed arguments of a streamed call; the text itself if it isn't JSON, because the
    model wrote none or the answer was truncated."""
    try:
        return decode(whole_characters(text).encode()) if text else {}
    except ValueError:
        return text


def returned_parts(
    message: Message,
    api: str,
    field: str,
    *,
    is_call: Callable[[Mapping[str, object]], bool],
    write: Callable[[ToolCall], dict[str, object]],
) -> list[dict[str, object]]:
    """Return the parts of an answer that the provider wants back unchanged in the next request.

    Only their tool calls are replaced by those of the message, whose ids the tools' results name.

    Args:
        message: the answer.
        api: name of the API in `provider_state`.
        field: key of the parts in `provider_state`.
        is_call: returns whether a part is a tool call.
        write: returns a tool call as a part.

    Returns:
        The parts; empty if there are none, or if their calls don't match those of the message.
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
    """Return the error for a part that a provider doesn't accept."""
    what = part.inline.media_type if part.inline else "address"
    return PermanentModelError(
        f"{provider} takes no {part.kind} of type {what}; use a model of another provider, or "
        "convert the file",
        kind="bad_request",
    )


def _other(part: Mapping[str, object]) -> Part:
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
        f"a part of type {head(str(kind), 50)!r} can't be sent to this provider", kind="bad_request"
    )


def _at_url(kind: str, url: str) -> Part:
    match = _DATA_URL.match(url)
    if match is None:
        return Part(kind, None, url=url)
    return Part(kind, Inline(match[1], url[match.end() :]))
