"""The messages of a prompt, with their positions, and their texts that can have placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from lve.documents.position_types import JsonPath, Position
from lve.documents.read import DocumentPosition
from lve.extension_table import extension_part
from lve.messages import FILE_KINDS, Message, Part, Role, file_name
from lve.named_tuples import NamedTuple
from lve.prompts.addresses import KINDS, address_of, part_addresses
from lve.prompts.messages.prompt_file import ParsedPrompt, read_prompt_file
from lve.spec.spec import Braces, PromptSource

MAX_TRIED = 100
"""Parts of a message among which the one that names a file is looked for."""
_DOUBLED = re.compile(r"(?<!\{)\{\{\s*([^{}\s]+)\s*\}\}(?!\})")


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


def literal_names(text: str, names: Container[str]) -> Iterator[re.Match[str]]:
    """Yield the places in a text where one of `names` stands in doubled braces, as `{{name}}`. They
    are no placeholders; group 1 of a match is the name."""
    for match in _DOUBLED.finditer(text) if "{{" in text else ():
        if match[1] in names:
            yield match


def changed_part(part: Part, change: Callable[[str], str]) -> Part:
    """Return a part with `change` made to all its texts that can have placeholders."""
    changed = dict(part)
    if isinstance(part.get("text"), str):
        changed["text"] = change(part["text"])
    name = file_name(part)
    if name is not None:
        changed[str(part["type"])] = change(name)
    for kind in KINDS:
        url, holder = address_of(part, kind), part.get(kind)
        if url is not None:
            text = change(url)
            changed[kind] = {**holder, "url": text} if isinstance(holder, Mapping) else text
    return changed


def with_single_braces(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages whose placeholders have two braces with lve's own placeholders. Those of the
    assistant are no templates, and stay as they are."""
    change = extension_part("single braces")
    return tuple(
        m if m.role is Role.assistant else _with_changed_texts(m, change) for m in messages
    )


def _with_changed_texts(message: Message, change: Callable[[str], str]) -> Message:
    if message.role is Role.assistant:
        return message
    content, url = message.content, message.image_url
    if isinstance(content, str):
        content = change(content)
    elif content is not None:
        content = tuple(changed_part(part, change) for part in content)
    return replace(message, content=content, image_url=None if url is None else change(url))


class PromptText(NamedTuple):
    """The messages of a prompt and their positions, for error messages."""

    source: PromptSource
    messages: tuple[Message, ...]
    """With lve's own placeholders, whatever their braces are where they are written."""
    as_written: tuple[Message, ...]
    parsed: ParsedPrompt | None = None
    """The prompt file, if the messages come from one."""
    braces: Braces = "single"
    """Of the test's placeholders."""

    @property
    def has_double_braces(self) -> bool:
        """Whether its placeholders have two braces where they are written."""
        in_template = self.parsed is not None and self.parsed.text is not None
        return in_template or self.braces == "double"

    def position(
        self, index: int, field: str | None = None, *, part: str = "", offset: int = 0
    ) -> Position:
        """Return the position of a message, or of a part of one of its fields.

        Args:
            index: of the message.
            field: `content`, `image_url`, `variable`, or the kind of a file; None for the message.
            part: the text to find, as in the value.
            offset: of `part` in the value, in characters.
        """
        if self.parsed is not None:
            return self.parsed.position(index, field or "", part=part, offset=offset)
        positions = self.source.message_positions
        if index >= len(positions):
            return _position(self.source.position)
        place = positions[index]
        if field in FILE_KINDS:
            return self._place_of_file(place, index, field, part)
        if field is None:
            return _position(place)
        if field == "content" and not _is_there(place.below((field,)), place):
            field = self.messages[index].role.value  # the short form, `user: Hello`
        return Position(place.file, place.line, place.column, f"{place.path}.{field}")

    def _place_of_file(
        self, message: DocumentPosition, index: int, kind: str, part: str
    ) -> Position:
        """Return the position of a file's name: under a key of the message, or in a part of it."""
        paths: Iterator[JsonPath] = (
            ("content", number, kind)
            for number, content_part in enumerate(self.messages[index].content or ())
            if isinstance(content_part, Mapping) and part in str(content_part.get(kind, ""))
        )
        at = map(message.below, chain([(kind,)], islice(paths, MAX_TRIED)))
        return _position(next((place for place in at if _is_there(place, message)), message))


def _is_there(place: DocumentPosition, holder: DocumentPosition) -> bool:
    """Whether a value exists. One that doesn't has the position of its `holder`."""
    return (place.line, place.column) != (holder.line, holder.column)


def _position(place: DocumentPosition) -> Position:
    return Position(place.file, place.line, place.column, place.path)


def read_prompt_text(source: PromptSource, folder: Path, braces: Braces = "single") -> PromptText:
    """Return the messages of a prompt, from its file if it has one. Whatever the braces of its
    placeholders were, they are single ones in the messages.

    Args:
        source: the prompt in the test document.
        folder: the test folder, in which the file must be.
        braces: of the test's placeholders.

    Raises:
        SpecError: the file can't be read or is invalid.
    """
    parsed = None
    if source.file is not None:
        parsed = read_prompt_file(source.file, folder=source.folder or folder, braces=braces)
    as_written = tuple(source.messages or ()) if parsed is None else parsed.messages
    if parsed is not None and parsed.text is not None:
        messages: tuple[Message, ...] = (Message(parsed.text),)
    else:
        messages = with_single_braces(as_written) if braces == "double" else as_written
    return PromptText(source, messages, as_written, parsed, braces)
