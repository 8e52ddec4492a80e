"""The plan of a test whose prompts are templates over the rows of a data set (`infer_cfg`), and
what builds it: templates, retriever, inferencer, model format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from lve.data.row_sources import RowSource
from lve.data_classes import dataclass
from lve.documents.read import DocumentPosition, read_document
from lve.errors import Problem, PromptError, SpecError, TemplateError
from lve.extensions.opencompass.by_name import make_inferencer, make_retriever, make_template
from lve.extensions.opencompass.data.tables import Table
from lve.extensions.opencompass.data.template_data import TemplateData, template_data
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.formats.well_known import CHAT_FORMATS, resolve_meta_template
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RenderedRow
from lve.extensions.opencompass.origins import Origin, traced, traced_row
from lve.extensions.opencompass.retrievers.retriever import Examples, ModelChoice
from lve.extensions.opencompass.retrievers.slow_select import Select, SlowSelect
from lve.extensions.opencompass.row_view import origin_lines, row_view, stage_lines
from lve.extensions.opencompass.rows.labels import Labels
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.warnings import example_warnings, row_warnings, static_warnings
from lve.prompts.conversation import Ask, Conversation, previewed
from lve.prompts.plan import Dialect
from lve.settings.model_settings import ModelSettings
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path


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


DEFAULT_FORMAT = ModelSettings(kind="api", meta_template="api")
"""The default: chat messages, with the roles HUMAN, BOT and SYSTEM."""
SCORED_FORMAT = ModelSettings(kind="lm")
"""The default for inferencers that score labels: plain text."""


class Templates(Dialect):
    """The dialect of tests with an `infer_cfg`."""

    def build_plan(
        self, spec: Spec, model: ModelSettings | None = None, *, trace: bool = False
    ) -> DatasetPlan:
        """Read and check the templates of a test.

        Raises:
            SpecError: the test is invalid.
        """
        if spec.output_schema is not None:
            raise SpecError([_no_schema(spec)])
        data = template_data(spec)
        try:
            return _build(spec, data, model, trace)
        except TemplateError as error:
            raise SpecError([_problem(spec, error)]) from error


DIALECT = Templates()


def _no_schema(spec: Spec) -> Problem:
    message = "`output_schema` has no effect beside `infer_cfg`"
    hint = "use the check `json_schema`"
    return Problem(
        message, display_path(spec.file), path="$.output_schema", hint=hint, code="output_schema"
    )


def _problem(spec: Spec, error: TemplateError) -> Problem:
    keys = _PLACES.get(error.stage)
    if keys is None:
        return Problem(str(error), display_path(spec.file), code=error.code)
    return DocumentPosition(spec.file, keys).problem(str(error), code="template")


_PLACES = {  # Stage of an error -> the keys that caused it.
    "retriever": ("infer_cfg", "retriever"),
    "retrieve": ("infer_cfg", "retriever"),
    "infer": ("infer_cfg", "inferencer"),
}


def _build(
    spec: Spec, data: TemplateData, settings: ModelSettings | None, trace: bool
) -> DatasetPlan:
    infer: Mapping[str, object] = dict(spec.infer_cfg or {})
    inferencer = make_inferencer(infer.get("inferencer"))
    meta = _format_of(settings, inferencer)
    kind = meta.kind or "api"
    train = data.train
    meta_template = resolve_meta_template(meta.meta_template, kind, data.dialect)
    if trace:
        origin = Origin("template", str(display_path(spec.file)))
        document = read_document(spec.file)
        infer = traced(infer, origin, ("infer_cfg",), place=document.position)
        train = TracedTable(train.rows, train.subdivision, train.picked, train.renumbered)
        meta_template = traced(meta_template, Origin("meta_template"))
    ice, prompt = (make_template(infer.get(f"{part}_template")) for part in ("ice", "prompt"))
    retriever = make_retriever(infer.get("retriever"), dialect=data.dialect, plugins=spec.plugins)
    replacement = inferencer.gen_field_replace_token or ""
    prompts = PromptWriter(train, ice, prompt, retriever, data.reader.output_column, replacement)
    inferencer.check(data)
    labels = Labels(prompts, data, inferencer.labels)
    examples = Examples(data.train, data.reader, data.dialect, data.test, labels.texts)
    choice = retriever.prepare(examples)
    model_format = ModelFormat(kind, meta_template, data.dialect, meta.prompt_logprobs)
    writer = RowWriter(spec, data, prompts, labels, model_format)
    warnings = static_warnings(writer, inferencer)
    return DatasetPlan(writer, choice, inferencer, warnings, trace)


def _format_of(settings: ModelSettings | None, inferencer: Inferencer) -> ModelSettings:
    """Return the model's settings with kind and meta template filled in.

    Raises:
        TemplateError: the inferencer scores labels, which a chat server can't do.
    """
    kind = settings.kind if settings is not None else None
    scores = inferencer.scores
    if settings is not None and settings.prompt_logprobs and inferencer.scores_chats:
        if kind is None:
            return settings._replace(kind="api", meta_template=settings.meta_template or "api")
    elif scores and kind == "api" and inferencer.fallback is None:
        logprobs = " or, with vLLM, `prompt_logprobs: true` into the model's settings"
        raise TemplateError(
            f"{type(inferencer).__name__} scores prompts, which a chat server can't do: use a "
            "model of `kind: lm`, or write `fallback: generate` into the inferencer"
            f"{logprobs if inferencer.scores_chats else ''}",
            stage="infer",
        )
    writes_text = scores or (settings and settings.meta_template not in (None, *CHAT_FORMATS))
    if settings is not None and settings.provider == "hf" and kind is None and writes_text:
        # A local model takes the text that the meta template gives, and can score it.
        return settings._replace(kind="lm")
    if settings is not None and (kind is not None or settings.meta_template is not None):
        return settings
    return SCORED_FORMAT if scores and inferencer.fallback is None else DEFAULT_FORMAT


@dataclass(frozen=True)
class TracedTable(Table):
    """Examples whose cells have their origin."""

    def __getitem__(self, index: int) -> dict[str, object]:
        source = self.rows.name if isinstance(self.rows, RowSource) else None
        return traced_row(super().__getitem__(index), Origin("example", source, row=index))
