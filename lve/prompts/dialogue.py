"""The prompt between a data set and a model: a text, or a dialogue list.

A dialogue list holds texts, messages (`{"role": ..., "prompt": ...}`) and the marks that say
where a section begins and ends. Marks never leave `lve.prompts`; `visible` drops them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lve.errors import TemplateError, TemplateStage
from lve.spec.json_types import json_type

CHAT_ROLES: Mapping[str, str] = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}
"""A template's usual roles, as chat APIs name them."""
SectionName = Literal["begin", "round", "end", "ice"]
Row = Mapping[str, Any]
DialogueItem = Any
"""A text, a message (dict) or a `Mark`. `Any`, because templates may hold anything at all."""
Dialogue = list[DialogueItem]
Prompt = Any
"""`str | Dialogue`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a section of a dialogue opens or closes."""

    section: SectionName
    opens: bool


def fill_columns(text: object, row: Row, *, stage: TemplateStage) -> str:
    """Replace each `{column}` by the row's value, column after column.

    As in both upstreams, a value that itself contains the field of a later column is filled again;
    unknown fields, format specs and doubled braces are plain text.
    """
    if not isinstance(text, str):
        raise TemplateError(f"a prompt must be a text, not {json_type(text)}", stage=stage)
    for column, value in row.items():
        field = f"{{{column}}}"
        if field in text:
            text = text.replace(field, as_text(value, stage=stage))
    return text


def as_text(value: Any, *, stage: TemplateStage) -> str:
    """Return a cell the way Python prints it."""
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of >4300 digits
        raise TemplateError(f"a value can't be written as text: {error}", stage=stage) from error


def fill_item(item: DialogueItem, row: Row, *, stage: TemplateStage) -> DialogueItem:
    """Fill one item of a dialogue; marks stay."""
    if isinstance(item, Mark):
        return item
    if isinstance(item, dict):
        if "prompt" not in item:
            return dict(item)
        return {**item, "prompt": fill_columns(item["prompt"], row, stage=stage)}
    return fill_columns(item, row, stage=stage)


def fill_prompt(prompt: Prompt, row: Row, *, stage: TemplateStage) -> Prompt:
    """Fill a text or a dialogue with a row."""
    if isinstance(prompt, list):
        return [fill_item(item, row, stage=stage) for item in prompt]
    return fill_columns(prompt, row, stage=stage)


def put(prompt: Prompt, token: str, content: Prompt, *, stage: TemplateStage) -> Prompt:
    """Replace `token` by `content` (examples, or nothing) everywhere in a prompt."""
    if isinstance(prompt, list):
        return _put_into_dialogue(prompt, token, content, stage=stage)
    if isinstance(content, list):
        raise TemplateError(
            "examples are a dialogue but the prompt is a text: write the prompt as a dialogue",
            stage=stage,
        )
    return prompt.replace(token, content)


def _put_into_dialogue(
    dialogue: Dialogue, token: str, content: Prompt, *, stage: TemplateStage
) -> Dialogue:
    result: Dialogue = []
    for item in dialogue:
        if isinstance(item, str):
            result += _put_into_text(item, token, content, stage=stage)
        elif isinstance(item, dict) and "prompt" in item:
            result.append(_put_into_message(item, token, content, stage=stage))
        elif isinstance(item, dict | Mark):
            result.append(item)
        else:
            raise TemplateError(f"{json_type(item)} can't be part of a dialogue", stage=stage)
    return result


def _put_into_text(text: str, token: str, content: Prompt, *, stage: TemplateStage) -> Dialogue:
    if isinstance(content, str):
        return [text.replace(token, content)]
    if not token:
        raise TemplateError("an empty ice_token can't stand for a dialogue", stage=stage)
    result: Dialogue = []
    for n, piece in enumerate(text.split(token)):
        result += content if n else []
        result += [piece] if piece else []
    return result


def _put_into_message(
    message: Mapping[str, Any], token: str, content: Prompt, *, stage: TemplateStage
) -> Mapping[str, Any]:
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
    return {**message, "prompt": text.replace(token, content)}


def template_prompt(template: Any, *, ice: bool, stage: TemplateStage) -> Prompt:
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
    result += [Mark(name, True), *_rounds(template["round"]), Mark(name, False)]
    if not ice:
        result += _section("end", template)
    return result


def _section(name: Literal["begin", "end"], template: Mapping[str, Any]) -> Dialogue:
    if name not in template:
        return []
    content = template[name]
    items = content if isinstance(content, list) else [content]
    return [Mark(name, True), *items, Mark(name, False)]


def _rounds(content: Any) -> Iterable[DialogueItem]:
    # A lone text is one item. Anything else is iterated, as upstream does.
    return [content] if isinstance(content, str) and content else content or ()


def visible(prompt: Prompt) -> Prompt:
    """Return a prompt as people see it: without marks and empty texts."""
    if not isinstance(prompt, list):
        return prompt
    return [item for item in prompt if not isinstance(item, Mark) and item != ""]


def concat(parts: Sequence[str], separator: str = "") -> str:
    """Join texts with `+`, so that texts that know their origin keep it."""
    if not parts:
        return ""
    result = parts[0]
    for part in parts[1:]:
        result = result + separator + part if separator else result + part
    return result
