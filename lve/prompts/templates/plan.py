"""Tests whose prompts come from templates over a data set (`infer_cfg`).

`lve.prompts.templates.build` makes templates, retriever, inferencer and the model's format once;
each row is then rendered by itself, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lve.errors import Problem
from lve.prompts.ask import Ask
from lve.prompts.conversation import Conversation
from lve.prompts.templates.inferencers import Inferencer, RenderedRow
from lve.prompts.templates.prompt_writer import PromptWriter
from lve.prompts.templates.provenance import Origin, traced_row
from lve.prompts.templates.retrievers.retrievers import ModelChoice, Select
from lve.prompts.templates.warnings import static_warnings
from lve.spec.model import Instance, Spec


@dataclass(frozen=True)
class DatasetPlan:
    """A `Plan` over the rows of a data set."""

    writer: PromptWriter
    choice: Select | ModelChoice
    """Chooses the examples of a row."""
    inferencer: Inferencer
    trace: bool = False
    """Whether rendered texts know their origin."""

    @property
    def spec(self) -> Spec:
        """The test."""
        return self.writer.spec

    @cached_property
    def warnings(self) -> Sequence[Problem]:
        """What upstream loses without a word, as far as the templates show it."""
        return static_warnings(self.writer, uses_first_label=self.inferencer.uses_first_label)

    @cached_property
    def chooser(self) -> ModelExamples | None:
        """What chooses the rows' examples with a model's help; None where that takes none."""
        return ModelExamples(self, self.choice) if isinstance(self.choice, ModelChoice) else None

    def conversations(
        self, instance: Instance, examples: Sequence[int] | None = None
    ) -> Sequence[Conversation]:
        """Return what has to be asked for a row: one conversation, or one per label or turn.

        Args:
            instance: the row.
            examples: positions of its examples, where a model chose them. None: as the retriever
                chooses; none if that takes a model.

        Raises:
            PromptError: the row can't be rendered.
        """
        row, positions = self._row(instance, examples)
        return self.inferencer.conversations(self.writer, row, positions)

    def render(self, instance: Instance, examples: Sequence[int] | None = None) -> RenderedRow:
        """Return what a row becomes, stage by stage. Answers of the model are taken to be empty.

        Arguments and errors as `conversations`.
        """
        row, positions = self._row(instance, examples)
        return self.inferencer.rendered(self.writer, row, positions)

    def _row(
        self, instance: Instance, examples: Sequence[int] | None
    ) -> tuple[dict[str, Any], Sequence[int]]:
        row = dict(instance.parameters)
        position = position_of(instance)
        if examples is None:
            examples = [] if isinstance(self.choice, ModelChoice) else self.choice(position, row)
        if self.trace:
            row = traced_row(row, Origin("row", instance.source, instance.line, row=position))
        return row, examples


@dataclass(frozen=True)
class ModelExamples:
    """The `ExampleChooser` of a plan."""

    plan: DatasetPlan
    choice: ModelChoice

    @property
    def needs(self) -> str:
        """What choosing takes, such as `vectors of MODEL`."""
        return self.choice.needs

    async def choose(self, instance: Instance, ask: Ask) -> Sequence[int]:
        """Return the positions of a row's examples.

        Raises:
            TemplateError: they can't be chosen.
        """
        return await self.choice.choose(position_of(instance), dict(instance.parameters), ask)

    async def conversations(self, instance: Instance, ask: Ask) -> Sequence[Conversation]:
        """Return what has to be asked for a row, with the examples that are chosen for it.

        Raises:
            PromptError: the row can't be rendered.
        """
        return self.plan.conversations(instance, await self.choose(instance, ask))


def position_of(instance: Instance) -> int:
    """Return which row an instance is. One from the command line stands nowhere; it gets the
    examples of the first one."""
    return instance.position or 0
