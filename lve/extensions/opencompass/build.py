"""Builds the plan of a test with `infer_cfg`: templates, retriever, inferencer, model format."""

from __future__ import annotations

from collections.abc import Mapping

from lve.data.row_sources import RowSource
from lve.data_classes import dataclass
from lve.documents.read import DocumentPosition, read_document
from lve.errors import Problem, SpecError, TemplateError
from lve.extensions.opencompass.by_name import make_inferencer, make_retriever, make_template
from lve.extensions.opencompass.data.tables import Table
from lve.extensions.opencompass.data.template_data import TemplateData, template_data
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.formats.well_known import CHAT_FORMATS, resolve_meta_template
from lve.extensions.opencompass.inferencers.inferencer import Inferencer
from lve.extensions.opencompass.origins import Origin, traced, traced_row
from lve.extensions.opencompass.plan import DatasetPlan
from lve.extensions.opencompass.retrievers.retriever import Examples
from lve.extensions.opencompass.rows.labels import Labels
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.warnings import static_warnings
from lve.prompts.plan import Dialect
from lve.settings.model_settings import ModelSettings
from lve.spec.spec import Spec
from lve.workspace import display_path

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
