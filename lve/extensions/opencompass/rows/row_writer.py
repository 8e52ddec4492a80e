"""Writes the prompts of a row, and keeps them below a maximum length: examples go from the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from lve.data_classes import dataclass
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import Cells, PromptBody
from lve.extensions.opencompass.formats.model_format import ModelFormat, Received
from lve.extensions.opencompass.rows.chat_rows import Chat, chat_of_row
from lve.extensions.opencompass.rows.labels import Labels
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.shown_columns import shown_columns
from lve.extensions.opencompass.template import Template
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, OBJECT_CHARACTERS, CharacterBudget, size_of
from lve.spec.spec import Spec

MAX_TRIED = 2 * MAX_INSTANCE_CHARACTERS
"""Characters of all prompts that may be rendered to find out how many examples fit."""
BLOCK = 1 << 20
_LATIN = re.compile(r"[A-Za-z0-9]")
_WORD = re.compile(r"[A-Za-z0-9]+|[\u4e00-\u9fff]")


def word_count(text: str) -> int:
    """Return the length of a text as upstream counts it for API models, because it doesn't have
    their tokenizers: words of Latin letters and digits, and Chinese characters."""
    # Block by block, because a list of all words takes many times the memory of the text.
    starts = range(0, len(text), BLOCK)
    return sum(len(_WORD.findall(text, at, at + BLOCK)) - _cuts_word(text, at) for at in starts)


def _cuts_word(text: str, at: int) -> bool:
    return at > 0 and _LATIN.match(text, at - 1) is not None and _LATIN.match(text, at) is not None


def generation_prompt(
    writer: PromptWriter,
    row: Cells,
    positions: Sequence[int],
    *,
    model: ModelFormat,
    max_length: int | None = None,
) -> PromptBody:
    """Return the prompt of a row. If it is too long, examples are dropped from the end; the prompt
    without examples is never cut."""
    prompt = writer.prompt(row, writer.ice(positions))
    if max_length is None:
        return prompt
    tried = CharacterBudget(MAX_TRIED, "prompt")
    while positions and input_length(model, prompt, row) > max_length:
        tried.take(size_of(prompt))
        positions = positions[:-1]
        prompt = writer.prompt(row, writer.ice(positions))
    return prompt


def label_prompts(
    writer: PromptWriter,
    row: Cells,
    positions: Sequence[int],
    labels: Sequence[object],
    *,
    model: ModelFormat,
    max_length: int | None = None,
) -> list[PromptBody]:
    """Return a prompt per label. Examples that are dropped for one label are missing for all labels
    after it, too, as in upstream."""
    result = []
    budget, tried = (
        CharacterBudget(MAX_INSTANCE_CHARACTERS, "prompt"),
        CharacterBudget(MAX_TRIED, "prompt"),
    )
    ice = writer.ice(positions)
    for label in labels:
        prompt = writer.label_prompt(row, ice, label)
        while max_length is not None and positions:
            if input_length(model, prompt, row, mode="ppl") <= max_length:
                break
            tried.take(size_of(prompt))
            positions = positions[:-1]
            ice = writer.ice(positions)
            prompt = writer.label_prompt(row, ice, label)
        budget.take(size_of(prompt) + OBJECT_CHARACTERS)
        result.append(prompt)
    return result


def input_length(
    model: ModelFormat,
    prompt: PromptBody,
    row: Cells,
    *,
    mode: Literal["gen", "ppl"] = "gen",
) -> int:
    """Return the length of what the model would receive."""
    parsed = model.parse(prompt, mode, row)
    if isinstance(parsed, str):
        return word_count(parsed)
    if parsed and all("content" in item for item in parsed):
        return sum(word_count(str(item)) for item in parsed)
    return word_count("".join(_words(item) for item in parsed))


def _words(item: object) -> str:
    text = item.get("prompt", "") if isinstance(item, Mapping) else item
    return text if isinstance(text, str) else str(text)


@dataclass(frozen=True)
class RowWriter:
    """Renders the prompts of any row of a test for one model."""

    spec: Spec
    data: TemplateData
    prompts: PromptWriter
    labels: Labels
    model: ModelFormat

    @property
    def template(self) -> Template | None:
        """The `prompt_template`."""
        return self.prompts.prompt_template

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """Columns that the templates contain -> the placeholder of each."""
        templates = (self.prompts.prompt_template, self.prompts.ice_template)
        return shown_columns(self.spec, templates, self.data.test.columns)

    def prompt(
        self, row: Cells, positions: Sequence[int], max_length: int | None = None
    ) -> PromptBody:
        """Return the prompt for generation, before the meta template.

        Args:
            row: to render.
            positions: of its examples.
            max_length: of what the model receives, in words; examples beyond it are dropped.

        Raises:
            TemplateError: the prompt can't be rendered.
        """
        return generation_prompt(
            self.prompts, row, positions, model=self.model, max_length=max_length
        )

    def label_prompts(
        self, row: Cells, positions: Sequence[int], max_length: int | None = None
    ) -> list[tuple[object, PromptBody]]:
        """Return each label and its prompt; arguments and errors as `prompt`."""
        labels = self.labels.all
        prompts = label_prompts(
            self.prompts, row, positions, labels, model=self.model, max_length=max_length
        )
        return list(zip(labels, prompts, strict=True))

    def chat(self, row: Cells) -> Chat:
        """Return a row as a chat, including the answers.

        Raises:
            TemplateError: its columns don't make a chat.
        """
        reader = self.data.reader
        return chat_of_row(
            row,
            self.template,
            input_columns=reader.input_columns,
            output_column=reader.output_column,
        )

    def received(self, prompt: PromptBody, row: Cells) -> Received:
        """Return what the model receives for a prompt for generation.

        Raises:
            TemplateError: the prompt can't be written in the model's format.
        """
        return self.model.parse(prompt, "gen", self.masked(row))

    def masked(self, row: Cells) -> Cells:
        """Return the row with its answer masked, for the default prompts of a meta template."""
        output = self.data.reader.output_column
        return row if output is None else {**row, output: self.prompts.replacement}
