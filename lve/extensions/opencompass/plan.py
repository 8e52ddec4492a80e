"""The plan of a test whose prompts are templates over the rows of a data set (`infer_cfg`).

`build` creates templates, retriever, inferencer and the model's format once. Each row is then
rendered on its own, in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from lve.data_classes import dataclass
from lve.errors import Problem, PromptError
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RenderedRow
from lve.extensions.opencompass.origins import Origin, traced_row
from lve.extensions.opencompass.retrievers.retriever import ModelChoice
from lve.extensions.opencompass.retrievers.slow_select import Select, SlowSelect
from lve.extensions.opencompass.row_view import origin_lines, row_view, stage_lines
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.warnings import example_warnings, row_warnings
from lve.prompts.conversation import Ask, Conversation, previewed
from lve.spec.spec import Instance, Spec


@dataclass(frozen=True)
class DatasetPlan:
    """A `Plan` over the rows of a data set."""

    writer: RowWriter
    choice: Select | ModelChoice
    """Chooses the examples of a row."""
    inferencer: Inferencer
    warnings: Sequence[Problem]
    """About parts of the templates that upstream ignores without a message."""
    trace: bool = False
    """Whether rendered texts have the origin of each character."""
    answer: ClassVar[None] = None

    @property
    def spec(self) -> Spec:
        """The test."""
        return self.writer.spec

    @property
    def rows(self) -> DatasetPlan:
        """This plan: its instances are rows."""
        return self

    @property
    def asks_for(self) -> str | None:
        """What a model has to provide to choose examples; None if no model is needed."""
        return self.choice.needs if isinstance(self.choice, ModelChoice) else None

    async def conversations(self, instance: Instance, ask: Ask | None) -> Sequence[Conversation]:
        """Return the conversations of a row: a single one, or one per label or turn.

        Raises:
            PromptError: the row can't be rendered, or a model is needed and `ask` is None.
            BudgetError, Stopped: as `Ask.embed`.
        """
        examples = await self.examples(instance, ask)
        return self.inferencer.conversations(self._row(instance), examples, self.writer)

    async def examples(self, instance: Instance, ask: Ask | None) -> Sequence[int]:
        """Return the positions of a row's examples; arguments and errors as `conversations`."""
        choice = self.choice
        if isinstance(choice, SlowSelect) and ask is not None:
            return await choice.choose(position_of(instance), instance.parameters, ask)
        if not isinstance(choice, ModelChoice):
            return self._known_examples(instance)
        if ask is None:
            raise PromptError(
                f"choosing the examples takes {choice.needs}, and replay sends no requests",
                code="examples_by_model",
            )
        return await choice.choose(position_of(instance), dict(instance.parameters), ask)

    def preview(
        self, instance: Instance, examples: Sequence[int] | None = None
    ) -> Sequence[Conversation]:
        """Return the conversations as far as they are known without sending anything.

        Args:
            instance: the row.
            examples: positions of its examples, if a model has chosen them. None: the retriever
                chooses; no examples if it needs a model.

        Raises:
            PromptError: the row can't be rendered.
        """
        positions = self._known_examples(instance) if examples is None else examples
        row = self._row(instance)
        return tuple(map(previewed, self.inferencer.conversations(row, positions, self.writer)))

    def render(self, instance: Instance, examples: Sequence[int] | None = None) -> RenderedRow:
        """Return all stages of rendering a row, as if every answer of the model were empty.

        Arguments and errors as `preview`.
        """
        positions = self._known_examples(instance) if examples is None else examples
        return self.inferencer.rendered(self._row(instance), positions, self.writer)

    def view(self, instance: Instance, examples: Sequence[int] | None = None) -> dict[str, Any]:
        """Return all stages of rendering a row, as JSON; see `row_view`."""
        return row_view(self.render(instance, examples), self.writer.model, trace=self.trace)

    def lines(self, instance: Instance, examples: Sequence[int] | None = None) -> Iterator[str]:
        """Yield what `lve render` shows of a row beside its conversations."""
        lines = origin_lines if self.trace else stage_lines
        yield from lines(self.view(instance, examples), instance)

    def row_warnings(self, instance: Instance) -> Sequence[Problem]:
        """Return the warnings about the data of a row and of the examples rendered with it."""
        return (*row_warnings(self.writer, instance), *example_warnings(self.writer))

    def _known_examples(self, instance: Instance) -> Sequence[int]:
        """Return the positions of the examples; none if a model has to choose them."""
        if isinstance(self.choice, ModelChoice):
            return []
        return self.choice(position_of(instance), instance.parameters)

    def _row(self, instance: Instance) -> dict[str, object]:
        row = dict(instance.parameters)
        if not self.trace:
            return row
        position = position_of(instance)
        return traced_row(row, Origin("row", instance.source, instance.line, row=position))


def position_of(instance: Instance) -> int:
    """Return the position of an instance's row. An instance from the command line has none; it gets
    the examples of the first row."""
    return instance.position or 0
