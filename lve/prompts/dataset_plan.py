"""Tests whose prompts come from templates over a data set (`infer_cfg`).

`lve.prompts.dataset_build` makes templates, retriever, inferencer and the model's format once; each
row is then rendered by itself, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lve.errors import Problem
from lve.prompts.chat_rows import chat_of_row
from lve.prompts.conversation import Conversation
from lve.prompts.dataset_warnings import fields_of, static_warnings
from lve.prompts.dialogue import Prompt
from lve.prompts.fallback import shared_beginning
from lve.prompts.in_context import InContext
from lve.prompts.inferencers import (
    ChatInferencer,
    GenInferencer,
    MultiTurnGenInferencer,
    PPLInferencer,
    Requests,
    generation_prompt,
    label_prompts,
    word_count,
)
from lve.prompts.labels import Labels
from lve.prompts.model_format import ModelFormat
from lve.prompts.provenance import Origin, traced_row
from lve.prompts.retrievers import Select
from lve.prompts.template import Template
from lve.prompts.turns import conversation_of_turns, open_conversation, scored_conversation
from lve.spec.dataset import TemplateData
from lve.spec.model import Instance, Spec


@dataclass(frozen=True)
class RenderedRow:
    """What one row becomes, stage by stage."""

    retrieved: list[int]
    ice: Prompt
    prompts: list[tuple[Any, Prompt]]
    """Label (None: a generation) and prompt before the meta template."""
    inputs: list[Any]
    """What the model receives, one per prompt; for a dialogue, one per request."""


@dataclass(frozen=True)
class DatasetPlan:
    """A `Plan` over the rows of a data set."""

    spec: Spec
    data: TemplateData
    context: InContext
    select: Select
    inferencer: Any
    model: ModelFormat
    prompt_template: Template | None
    known_labels: Labels
    trace: bool = False
    """Whether rendered texts know their origin."""

    @cached_property
    def warnings(self) -> Sequence[Problem]:
        """What upstream loses without a word, as far as the templates show it."""
        return static_warnings(self)

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The columns that the templates show -> the text that is filled in for each."""
        return fields_of(self)

    def conversations(self, instance: Instance) -> Sequence[Conversation]:
        """Return what has to be asked for a row: one conversation, or one per label or turn.

        Raises:
            PromptError: the row can't be rendered.
        """
        row, positions = self._row(instance)
        if isinstance(self.inferencer, PPLInferencer):
            return self._by_label(row, positions)
        requests = self.requests(row, positions)
        if requests is not None:
            return conversation_of_turns(requests, self.model, self._own_answers)
        parsed = self.model.parse(self._prompt(row, positions), "gen", self._filling(row))
        return (open_conversation(parsed, self.model),)

    def render(self, instance: Instance) -> RenderedRow:
        """Return what a row becomes, stage by stage. Answers of the model are taken to be empty.

        Raises:
            PromptError: the row can't be rendered.
        """
        row, positions = self._row(instance)
        if isinstance(self.inferencer, PPLInferencer):
            labels = self.labels
            prompts = list(zip(labels, self._label_prompts(row, positions, labels), strict=True))
            parsed = self._label_inputs(row, [prompt for _, prompt in prompts])
            return RenderedRow(positions, self.context.ice(positions), prompts, parsed)
        requests = self.requests(row, positions)
        if isinstance(self.inferencer, ChatInferencer):
            chat = self._chat(row)
            return RenderedRow(positions, "", [(None, chat)], _answered(requests))
        prompt = self._prompt(row, positions)
        ice = self.context.ice(positions)
        if requests is not None:
            return RenderedRow(positions, ice, [(None, prompt)], _answered(requests))
        parsed = self.model.parse(prompt, "gen", self._filling(row))
        return RenderedRow(positions, ice, [(None, prompt)], [parsed])

    @property
    def labels(self) -> list[Any]:
        """The labels to choose from.

        Raises:
            TemplateError: there are none.
        """
        return self.known_labels.all

    def without_examples(self) -> DatasetPlan:
        """Return the plan that chooses no examples: for where no model may be asked to choose."""
        return replace(self, select=lambda position, row: [])

    def requests(self, row: Mapping[str, Any], positions: Sequence[int]) -> Requests | None:
        """Return the turns of a row; None if it is asked only once."""
        inferencer = self.inferencer
        if isinstance(inferencer, ChatInferencer):
            return inferencer.requests(self._chat(row), self.model)
        if isinstance(inferencer, MultiTurnGenInferencer):
            prompt = self._prompt(row, positions)
            return inferencer.requests(prompt, self.model, self._filling(row))
        if isinstance(inferencer, GenInferencer) and inferencer.multiround:
            prompt = self._prompt(row, positions)
            return inferencer.requests(prompt, self.model, self._filling(row))
        return None

    @property
    def _own_answers(self) -> bool:
        return getattr(self.inferencer, "infer_mode", "every") == "every"

    def _row(self, instance: Instance) -> tuple[dict[str, Any], list[int]]:
        # A row from the command line stands nowhere; it gets the examples of the first one.
        position = instance.position or 0
        row = dict(instance.parameters)
        positions = self.select(position, row)
        if self.trace:
            row = traced_row(row, Origin("row", instance.source, instance.line, row=position))
        return row, positions

    def _prompt(self, row: Mapping[str, Any], positions: Sequence[int]) -> Prompt:
        longest = getattr(self.inferencer, "max_seq_len", None)
        return generation_prompt(
            self.context, row, positions, model=self.model, max_length=longest, length=word_count
        )

    def _label_prompts(
        self, row: Mapping[str, Any], positions: Sequence[int], labels: Sequence[Any]
    ) -> list[Prompt]:
        return label_prompts(
            self.context,
            row,
            positions,
            labels,
            model=self.model,
            max_length=self.inferencer.max_seq_len,
            length=word_count,
        )

    def _by_label(self, row: Mapping[str, Any], positions: Sequence[int]) -> Sequence[Conversation]:
        labels = self.labels
        prompts = self._label_prompts(row, positions, labels)
        inputs = self._label_inputs(row, prompts)
        if self.model.kind != "lm":
            return [open_conversation(inputs[0], self.model)]
        return [
            scored_conversation(label, parsed, self.model)
            for label, parsed in zip(labels, inputs, strict=True)
        ]

    def _label_inputs(self, row: Mapping[str, Any], prompts: Sequence[Prompt]) -> list[Any]:
        """Return the input per label; of a chat model, which can't score, the question alone."""
        if self.model.kind != "lm":
            return [self.model.parse(shared_beginning(prompts), "gen", self._filling(row))]
        return [self.model.parse(prompt, "ppl", row) for prompt in prompts]

    def _chat(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        return chat_of_row(
            row,
            self.prompt_template,
            input_columns=self.data.reader.input_columns,
            output_column=self.data.reader.output_column,
        )

    def _filling(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the row for a meta template's own prompts, with the answer masked there too."""
        output = self.data.reader.output_column
        return row if output is None else {**row, output: self.context.replacement}


def _answered(requests: Requests | None) -> list[Any]:
    """Return all requests of a row, as if the model said nothing."""
    inputs: list[Any] = []
    while requests is not None:
        try:
            inputs.append(requests.send("" if inputs else None))
        except StopIteration:
            break
    return inputs
