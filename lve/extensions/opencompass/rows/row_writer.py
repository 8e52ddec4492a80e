"""Renders all prompts of a row, from templates, examples, labels and the model's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from lve.data_classes import dataclass
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import Cells, PromptBody
from lve.extensions.opencompass.formats.model_format import ModelFormat, Received
from lve.extensions.opencompass.rows.chat_rows import Chat, chat_of_row
from lve.extensions.opencompass.rows.fitting import generation_prompt, label_prompts
from lve.extensions.opencompass.rows.labels import Labels
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.shown_columns import shown_columns
from lve.extensions.opencompass.template import Template
from lve.spec.spec import Spec


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
