"""The prompt of a row before the model's format is applied: a text, or a dialogue.

A dialogue is a list of texts, messages (`{"role": ..., "prompt": ...}`) and marks for the beginning
and end of sections. Marks never leave `lve.prompts`; `visible` drops them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from lve.data_classes import dataclass
from lve.errors import TemplateError, TemplateStage
from lve.extensions.opencompass.origins import join
from lve.json_types import json_type
from lve.prompts.size import (
    MANY_COLUMNS,
    MAX_CHARACTERS,
    MAX_ITEMS,
    OBJECT_CHARACTERS,
    CharacterBudget,
    max_filled_characters,
    size_of,
    too_long,
)

CHAT_ROLES: Mapping[str, str] = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}
"""Role of a template -> the same role in chat APIs."""
SectionName = Literal["begin", "round", "end", "ice"]
Cells = Mapping[str, Any]
"""A row: column -> value."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The beginning or end of a section of a dialogue."""

    section: SectionName
    opens: bool


DialogueMessage = dict[str, Any]
"""A message: `role`, `prompt`, and other fields of the template."""
DialogueItem = str | DialogueMessage | Mark
Dialogue = list[DialogueItem]
PromptBody = str | Dialogue
"""A prompt before the model's format is applied."""


def fill_columns(text: object, row: Cells, *, stage: TemplateStage) -> str:
    """Replace each `{column}` by the row's value, one column after the other.

    As in both upstream projects, a value that contains the field of a later column is filled again;
    unknown fields, format specs and doubled braces are plain text.
    """
    if not isinstance(text, str):
        raise TemplateError(f"a prompt must be a text, not {json_type(text)}", stage=stage)
    most = MAX_CHARACTERS if len(row) < MANY_COLUMNS else max_filled_characters(row)
    if len(text) > most:
        raise too_long(most, stage)
    for column, value in row.items():
        field = f"{{{column}}}"
        if field in text:
            value = as_text(value, stage=stage)
            if len(text) * len(value) > most:  # Otherwise the result can't be too long.
                text = replace_all(text, field, value, stage=stage, most=most)
            else:
                text = text.replace(field, value)
    return text


def replace_all(
    text: str, old: str, new: str, *, stage: TemplateStage, most: int = MAX_CHARACTERS
) -> str:
    """Return `text` with each `old` replaced by `new`.

    Raises:
        TemplateError: the result would have more than `most` characters.
    """
    may_be_long = len(text) * len(new) > most  # Counting takes as long as replacing.
    if may_be_long and len(text) + text.count(old) * (len(new) - len(old)) > most:
        raise too_long(most, stage)
    return text.replace(old, new)


def as_text(value: object, *, stage: TemplateStage) -> str:
    """Return `str(value)` of a cell.

    Raises:
        TemplateError: it is nested too deeply, or is a number of more than 4300 digits.
    """
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except (RecursionError, ValueError) as error:
        raise TemplateError(f"a value can't be written as text: {error}", stage=stage) from error


def fill_item(
    item: DialogueItem, row: Cells, *, stage: TemplateStage, budget: CharacterBudget
) -> DialogueItem:
    """Fill an item of a dialogue with a row, and count its size; marks stay unchanged."""
    if isinstance(item, Mark):
        return item
    if isinstance(item, dict):
        if "prompt" not in item:
            budget.take(size_of(item))
            return dict(item)
        text = fill_columns(item["prompt"], row, stage=stage)
        # Other fields of a message count, too: meta templates can write them.
        budget.take(len(text) + (OBJECT_CHARACTERS if len(item) <= 2 else size_of(item)))
        return {**item, "prompt": text}
    text = fill_columns(item, row, stage=stage)
    budget.take(len(text) + OBJECT_CHARACTERS)
    return text


def fill_prompt(prompt: PromptBody, row: Cells, *, stage: TemplateStage) -> PromptBody:
    """Fill a text or a dialogue with a row."""
    if isinstance(prompt, list):
        budget = CharacterBudget(max_filled_characters(row), stage)
        return [fill_item(item, row, stage=stage, budget=budget) for item in prompt]
    return fill_columns(prompt, row, stage=stage)


def replace_token(
    prompt: PromptBody, token: str, content: PromptBody, *, stage: TemplateStage
) -> PromptBody:
    """Replace `token` by `content` (examples, or an empty text) everywhere in a prompt."""
    if isinstance(prompt, list):
        items = _replace_in_dialogue(prompt, token, content, stage=stage)
        if isinstance(content, str):
            return list(CharacterBudget(stage=stage).counted(items)) if content else list(items)
        result = list(islice(items, MAX_ITEMS + 1))
        if len(result) > MAX_ITEMS:
            raise too_long(MAX_CHARACTERS, stage)
        return result
    if isinstance(content, list):
        raise TemplateError(
            "examples are a dialogue but the prompt is a text: write the prompt as a dialogue",
            stage=stage,
        )
    return replace_all(prompt, token, content, stage=stage)


def _replace_in_dialogue(
    dialogue: Dialogue, token: str, content: PromptBody, *, stage: TemplateStage
) -> Iterator[DialogueItem]:
    for item in dialogue:
        if isinstance(item, str):
            yield from _replace_in_text(item, token, content, stage=stage)
        elif isinstance(item, dict) and "prompt" in item:
            yield _replace_in_message(item, token, content, stage=stage)
        elif isinstance(item, dict | Mark):
            yield item
        else:
            raise TemplateError(f"{json_type(item)} can't be part of a dialogue", stage=stage)


def _replace_in_text(
    text: str, token: str, content: PromptBody, *, stage: TemplateStage
) -> Iterator[DialogueItem]:
    if isinstance(content, str):
        yield replace_all(text, token, content, stage=stage)
        return
    if not token:
        raise TemplateError("an empty ice_token can't stand for a dialogue", stage=stage)
    for n, piece in enumerate(text.split(token)):
        yield from content if n else ()
        if piece:
            yield piece


def _replace_in_message(
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
    return {**message, "prompt": replace_all(text, token, content, stage=stage)}


def template_prompt(template: object, *, ice: bool, stage: TemplateStage) -> PromptBody:
    """Return a template as a prompt: a text unchanged, a dialogue with marks around its sections.

    For an example (`ice`) only `round` is used: `begin` and `end` belong to the whole prompt.
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


def _section(name: Literal["begin", "end"], template: Mapping[str, object]) -> Dialogue:
    if name not in template:
        return []
    content = template[name]
    items = content if isinstance(content, list) else [content]
    return [Mark(name, True), *items, Mark(name, False)]


def _rounds(content: Any, stage: TemplateStage) -> Iterable[DialogueItem]:
    # A single text is one item; anything else is iterated over, as in upstream.
    if content and not isinstance(content, Iterable):
        raise TemplateError(f"`round` must be a list, not {json_type(content)}", stage=stage)
    return [content] if isinstance(content, str) and content else content or ()


def visible(prompt: PromptBody) -> PromptBody:
    """Return a prompt for display: without marks and empty texts."""
    if not isinstance(prompt, list):
        return prompt
    return [item for item in prompt if not isinstance(item, Mark) and item != ""]


def concat(parts: Sequence[str], separator: str = "", *, stage: TemplateStage) -> str:
    """Join texts; traced ones keep their origins.

    Raises:
        TemplateError: the result would be too long.
    """
    if sum(map(len, parts)) + len(separator) * len(parts) > MAX_CHARACTERS:
        raise too_long(MAX_CHARACTERS, stage)
    return join(separator, parts)
