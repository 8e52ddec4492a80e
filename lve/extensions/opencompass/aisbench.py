"""AISBench's own templates: `MultiTurnPromptTemplate` and `MMPromptTemplate` (multimodal)."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    Cells,
    Dialogue,
    DialogueItem,
    Mark,
    PromptBody,
    fill_columns,
    fill_item,
    template_prompt,
)
from lve.extensions.opencompass.template import PromptTemplate
from lve.json_types import json_type
from lve.prompts.size import CharacterBudget, max_filled_characters

CONTENT_TAG = "<AIS_CONTENT_TAG>"
START_TAGS = {
    "<AIS_TEXT_START>": "text",
    "<AIS_IMAGE_START>": "image",
    "<AIS_VIDEO_START>": "video",
    "<AIS_AUDIO_START>": "audio",
}
"""Tag at the start of a piece of the content column -> kind of the message part."""
FIELD_OF_KIND = {"text": "question", "image": "image", "video": "video", "audio": "audio"}
"""Kind of a message part -> the placeholder for the piece in the part's template."""


@dataclass(frozen=True)
class _DialogueOnlyTemplate(PromptTemplate):
    """A template for generation: it has no examples and no prompt per label."""

    def example(self, row: Cells, label: object) -> PromptBody:
        raise TemplateError(f"{type(self).__name__} can't make examples", stage="ice")

    def label_prompt(self, row: Cells, ice: PromptBody, label: object) -> PromptBody:
        raise TemplateError(f"{type(self).__name__} can't make a prompt per label", stage="prompt")


@dataclass(frozen=True)
class MultiTurnPromptTemplate(_DialogueOnlyTemplate):
    """Repeats the round for each entry of the list columns `question` and `answer`.

    `begin` and `end` are not filled, and the output column is not masked.
    """

    def prompt(
        self, row: Cells, ice: PromptBody, *, output: str | None, replacement: str
    ) -> PromptBody:
        dialogue = template_prompt(self.template, ice=False, stage="prompt")
        dialogue = _messages_only(dialogue)
        inside = _round(dialogue)
        turns = zip(_turns(row, "question"), _turns(row, "answer"), strict=False)
        budget = CharacterBudget(stage="prompt")
        rounds = [
            fill_item(item, {"question": question, "answer": answer}, stage="prompt", budget=budget)
            for question, answer in turns
            for item in dialogue[inside]
        ]
        return [*dialogue[: inside.start], *rounds, *dialogue[inside.stop :]]


@dataclass(frozen=True)
class MMPromptTemplate(_DialogueOnlyTemplate):
    """Messages with `prompt_mm`, which has a template for each kind of message part.

    The row's column `content` has the pieces, such as `<AIS_IMAGE_START>cat.png<AIS_CONTENT_TAG>`.
    Each becomes a part of its kind, in the same order. Other columns aren't filled in.
    """

    def prompt(
        self, row: Cells, ice: PromptBody, *, output: str | None, replacement: str
    ) -> PromptBody:
        dialogue = template_prompt(self.template, ice=False, stage="prompt")
        if isinstance(dialogue, str):
            raise TemplateError("MMPromptTemplate needs a dialogue with `round`", stage="prompt")
        _messages_only(dialogue[_round(dialogue)])
        items = (self._item(item, row) for item in dialogue)
        return list(CharacterBudget(max_filled_characters(row), "prompt").counted(items))

    def _item(self, item: DialogueItem, row: Cells) -> DialogueItem:
        if isinstance(item, Mark):
            return item
        if not isinstance(item, Mapping):
            return fill_columns(item, row, stage="prompt")
        if "prompt_mm" not in item:
            return copy.deepcopy(dict(item))
        kinds = item["prompt_mm"]
        if not isinstance(kinds, Mapping):
            raise TemplateError(
                f"`prompt_mm` must map text, image, video, audio to parts, not {json_type(kinds)}",
                stage="prompt",
            )
        parts = (_part(kinds, kind, piece) for kind, piece in _pieces(row))
        return {**item, "prompt_mm": list(CharacterBudget(stage="prompt").counted(parts))}


def _pieces(row: Cells) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each tagged piece of the column `content`; other text is dropped."""
    content = row.get("content")
    if not isinstance(content, str):
        raise TemplateError(
            "MMPromptTemplate needs a column `content` with tagged text", stage="prompt"
        )
    for piece in content.split(CONTENT_TAG):
        for tag, kind in START_TAGS.items():
            if piece.startswith(tag):
                yield kind, piece.replace(tag, "")


def _part(kinds: Mapping[str, object], kind: str, piece: str) -> dict[str, object]:
    template = kinds.get(kind)
    key = "text" if kind == "text" else f"{kind}_url"
    if not isinstance(template, Mapping) or key not in template:
        raise TemplateError(f"`prompt_mm` has no `{kind}` with `{key}`", stage="prompt")
    part = copy.deepcopy(dict(template))
    row = {FIELD_OF_KIND[kind]: piece}
    if isinstance(part[key], dict):
        if "url" not in part[key]:
            raise TemplateError(f"`prompt_mm.{kind}.{key}` has no `url`", stage="prompt")
        part[key]["url"] = fill_columns(part[key]["url"], row, stage="prompt")
    else:
        part[key] = fill_columns(part[key], row, stage="prompt")
    return part


def _turns(row: Cells, column: str) -> Sequence[object]:
    value = row.get(column)
    if not isinstance(value, list | str):
        kind = json_type(value) if column in row else "nothing"
        raise TemplateError(
            f"MultiTurnPromptTemplate needs a list in the column `{column}`, found {kind}",
            stage="prompt",
        )
    return value


def _round(dialogue: Dialogue) -> slice:
    return slice(dialogue.index(Mark("round", True)) + 1, dialogue.index(Mark("round", False)))


def _messages_only(dialogue: PromptBody) -> Dialogue:
    """Return `dialogue`, or raise TemplateError if it has texts beside messages and marks."""
    if isinstance(dialogue, str) or not all(isinstance(i, Mapping | Mark) for i in dialogue):
        raise TemplateError(
            "this template takes messages only, no texts beside them", stage="prompt"
        )
    return dialogue
