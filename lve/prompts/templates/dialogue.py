"""The prompt between a data set and a model: a text, or a dialogue list.

A dialogue list holds texts, messages (`{"role": ..., "prompt": ...}`) and the marks that say
where a section begins and ends. Marks never leave `lve.prompts`; `visible` drops them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from lve.documents.json_types import json_type
from lve.errors import TemplateError, TemplateStage
from lve.prompts.size import (
    MANY_COLUMNS,
    MAX_CHARACTERS,
    MAX_ITEMS,
    OBJECT_CHARACTERS,
    Room,
    searchable,
    size_of,
    too_long,
)
from lve.prompts.templates.provenance import join

CHAT_ROLES: Mapping[str, str] = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}
"""A template's usual roles, as chat APIs name them."""
SectionName = Literal["begin", "round", "end", "ice"]
Cells = Mapping[str, Any]
"""A row: column -> value."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a section of a dialogue opens or closes."""

    section: SectionName
    opens: bool


DialogueMessage = dict[str, Any]
"""What a role says: `role`, `prompt`, and whatever else its template gives it."""
DialogueItem = str | DialogueMessage | Mark
Dialogue = list[DialogueItem]
PromptBody = str | Dialogue
"""A prompt before the model's format."""


def fill_columns(text: object, row: Cells, *, stage: TemplateStage) -> str:
    """Replace each `{column}` by the row's value, column after column.

    As in both upstreams, a value that itself contains the field of a later column is filled again;
    unknown fields, format specs and doubled braces are plain text.
    """
    if not isinstance(text, str):
        raise TemplateError(f"a prompt must be a text, not {json_type(text)}", stage=stage)
    most = MAX_CHARACTERS if len(row) < MANY_COLUMNS else searchable(row)
    if len(text) > most:
        raise too_long(most, stage)
    for column, value in row.items():
        field = f"{{{column}}}"
        if field in text:
            value = as_text(value, stage=stage)
            if len(text) * len(value) > most:  # Otherwise it can't get too long.
                text = replaced(text, field, value, stage=stage, most=most)
            else:
                text = text.replace(field, value)
    return text


def replaced(
    text: str, old: str, new: str, *, stage: TemplateStage, most: int = MAX_CHARACTERS
) -> str:
    """Return a text with `old` replaced everywhere.

    Raises:
        TemplateError: it would have more than `most` characters.
    """
    could_be = len(text) * len(new) > most  # Counting takes as long as replacing.
    if could_be and len(text) + text.count(old) * (len(new) - len(old)) > most:
        raise too_long(most, stage)
    return text.replace(old, new)


def as_text(value: object, *, stage: TemplateStage) -> str:
    """Return a cell the way Python prints it."""
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of >4300 digits
        raise TemplateError(f"a value can't be written as text: {error}", stage=stage) from error


def fill_item(item: DialogueItem, row: Cells, *, stage: TemplateStage, room: Room) -> DialogueItem:
    """Fill one item of a dialogue, and count it; marks stay."""
    if isinstance(item, Mark):
        return item
    if isinstance(item, dict):
        if "prompt" not in item:
            room.take(size_of(item))
            return dict(item)
        text = fill_columns(item["prompt"], row, stage=stage)
        # Meta templates write a message's other fields beside its text.
        room.take(len(text) + (OBJECT_CHARACTERS if len(item) <= 2 else size_of(item)))
        return {**item, "prompt": text}
    text = fill_columns(item, row, stage=stage)
    room.take(len(text) + OBJECT_CHARACTERS)
    return text


def fill_prompt(prompt: PromptBody, row: Cells, *, stage: TemplateStage) -> PromptBody:
    """Fill a text or a dialogue with a row."""
    if isinstance(prompt, list):
        room = Room(searchable(row), stage)
        return [fill_item(item, row, stage=stage, room=room) for item in prompt]
    return fill_columns(prompt, row, stage=stage)


def put(prompt: PromptBody, token: str, content: PromptBody, *, stage: TemplateStage) -> PromptBody:
    """Replace `token` by `content` (examples, or nothing) everywhere in a prompt."""
    if isinstance(prompt, list):
        items = _put_into_dialogue(prompt, token, content, stage=stage)
        if isinstance(content, str):
            return list(Room(stage=stage).taken(items)) if content else list(items)
        result = list(islice(items, MAX_ITEMS + 1))
        if len(result) > MAX_ITEMS:
            raise too_long(MAX_CHARACTERS, stage)
        return result
    if isinstance(content, list):
        raise TemplateError(
            "examples are a dialogue but the prompt is a text: write the prompt as a dialogue",
            stage=stage,
        )
    return replaced(prompt, token, content, stage=stage)


def _put_into_dialogue(
    dialogue: Dialogue, token: str, content: PromptBody, *, stage: TemplateStage
) -> Iterator[DialogueItem]:
    for item in dialogue:
        if isinstance(item, str):
            yield from _put_into_text(item, token, content, stage=stage)
        elif isinstance(item, dict) and "prompt" in item:
            yield _put_into_message(item, token, content, stage=stage)
        elif isinstance(item, dict | Mark):
            yield item
        else:
            raise TemplateError(f"{json_type(item)} can't be part of a dialogue", stage=stage)


def _put_into_text(
    text: str, token: str, content: PromptBody, *, stage: TemplateStage
) -> Iterator[DialogueItem]:
    if isinstance(content, str):
        yield replaced(text, token, content, stage=stage)
        return
    if not token:
        raise TemplateError("an empty ice_token can't stand for a dialogue", stage=stage)
    for n, piece in enumerate(text.split(token)):
        yield from content if n else ()
        if piece:
            yield piece


def _put_into_message(
    message: DialogueMessage, token: str, content: PromptBody, *, stage: TemplateStage
) -> DialogueMessage:
    text = message["prompt"]
    if not isinstance(text, str):
        raise TemplateError(f"a prompt must be a text, not {json_type(text)}", stage=stage)
    if token not in text:
        return message
    if isinstance(content, list):
        raise TemplateError(
            f"{token!r} stands inside a message, where examples that are a dialogue can't go: "
            "write it as an item of `begin`",
            stage=stage,
        )
    return {**message, "prompt": replaced(text, token, content, stage=stage)}


def template_prompt(template: object, *, ice: bool, stage: TemplateStage) -> PromptBody:
    """Return a template as a prompt: a text as it is, a dialogue with its section marks.

    Examples (`ice`) take only the rounds: `begin` and `end` belong to the whole prompt.
    """
    if isinstance(template, str):
        return template
    if not isinstance(template, Mapping) or "round" not in template:
        raise TemplateError("a dialogue template needs `round`", stage=stage)
    result: Dialogue = []
    if not ice:
        result += _section("begin", template)
    name: SectionName = "ice" if ice else "round"
    result += [Mark(name, True), *_rounds(template["round"], stage), Mark(name, False)]
    if not ice:
        result += _section("end", template)
    return result


def _section(name: Literal["begin", "end"], template: Mapping[str, Any]) -> Dialogue:
    if name not in template:
        return []
    content = template[name]
    items = content if isinstance(content, list) else [content]
    return [Mark(name, True), *items, Mark(name, False)]


def _rounds(content: Any, stage: TemplateStage) -> Iterable[DialogueItem]:
    # A single text is one item; anything else is iterated over, as upstream does.
    if content and not isinstance(content, Iterable):
        raise TemplateError(f"`round` must be a list, not {json_type(content)}", stage=stage)
    return [content] if isinstance(content, str) and content else content or ()


def visible(prompt: PromptBody) -> PromptBody:
    """Return a prompt as people see it: without marks and empty texts."""
    if not isinstance(prompt, list):
        return prompt
    return [item for item in prompt if not isinstance(item, Mark) and item != ""]


def concat(parts: Sequence[str], separator: str = "", *, stage: TemplateStage) -> str:
    """Join texts; those that know their origin keep it.

    Raises:
        TemplateError: the text would be too long.
    """
    if sum(map(len, parts)) + len(separator) * len(parts) > MAX_CHARACTERS:
        raise too_long(MAX_CHARACTERS, stage)
    return join(separator, parts)
