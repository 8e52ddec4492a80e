"""What upstream loses without a word. We give upstream's result, and say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lve.errors import Problem
from lve.prompts.dialogue import Prompt
from lve.prompts.inferencers import GenInferencer
from lve.prompts.template import PromptTemplate
from lve.spec.model import Instance
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.prompts.dataset_plan import DatasetPlan

TEMPLATE = "$.infer_cfg.prompt_template"


def static_warnings(plan: DatasetPlan) -> tuple[Problem, ...]:
    """Return what the templates alone lose."""
    return (*_lost_examples(plan), *_lost_texts(plan), *_first_label_only(plan))


def row_warnings(plan: DatasetPlan, instance: Instance) -> tuple[Problem, ...]:
    """Return what is lost or changed by the data of one row."""
    found = _filled_twice(plan, instance.parameters)
    return tuple(_of_row(plan, instance, message) for message in found)


def _lost_examples(plan: DatasetPlan) -> Iterator[Problem]:
    template = plan.prompt_template
    if plan.context.ice_template is None or not isinstance(template, PromptTemplate):
        return
    token = template.ice_token
    if token and not any(token in text for text in _texts(template.template)):
        yield _warning(plan, f"ice_token {token!r} is nowhere in the template: examples are lost")


def _lost_texts(plan: DatasetPlan) -> Iterator[Problem]:
    template = plan.prompt_template or plan.context.ice_template
    if plan.model.kind != "api" or not isinstance(plan.model.meta_template, Mapping):
        return
    if not isinstance(template, PromptTemplate) or not isinstance(template.template, dict):
        return
    for dialogue in _dialogues(template):
        for section in ("begin", "round", "end"):
            content = dialogue.get(section)
            items = content if isinstance(content, list) else [content]
            for item in items:
                if isinstance(item, str) and item.strip() and item != template.ice_token:
                    message = f"the text {item!r:.40} has no role: a chat model doesn't get it"
                    yield _warning(plan, message, f"{TEMPLATE}.template.{section}")


def _first_label_only(plan: DatasetPlan) -> Iterator[Problem]:
    template = plan.prompt_template
    labels = template.labels if isinstance(template, PromptTemplate) else None
    if labels and not template.is_dialogue and isinstance(plan.inferencer, GenInferencer):  # type: ignore[union-attr]
        yield _warning(
            plan, f"a generation uses the template of the first label {labels[0]!r} only"
        )


def _filled_twice(plan: DatasetPlan, row: Mapping[str, Any]) -> Iterator[str]:
    """Find data that contains the field of a column: it is taken for a field and filled."""
    columns = list(row)
    for n, (column, value) in enumerate(row.items()):
        if not isinstance(value, str) or "{" not in value:
            continue
        for later in columns[n + 1 :]:
            if f"{{{later}}}" in value:
                yield f"column {column!r} contains the text {{{later}}}, which is filled too"


def _dialogues(template: PromptTemplate) -> list[Mapping[str, Any]]:
    if template.is_dialogue:
        return [template.template]
    return [value for value in template.template.values() if isinstance(value, dict)]


def _texts(value: Prompt) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _warning(plan: DatasetPlan, message: str, path: str = TEMPLATE) -> Problem:
    return Problem(message, display_path(plan.spec.file), path=path, severity="warning")


def _of_row(plan: DatasetPlan, instance: Instance, message: str) -> Problem:
    file = display_path(plan.spec.folder / instance.source)
    return Problem(message, file, instance.line, severity="warning")
