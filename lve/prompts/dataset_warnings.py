"""What upstream loses without a word. We give upstream's result, and say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lve.errors import Problem
from lve.prompts.dialogue import Prompt
from lve.prompts.inferencers import GenInferencer
from lve.prompts.template import PromptTemplate
from lve.spec.model import Instance
from lve.spec.row_sources import RowSource
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.prompts.dataset_plan import DatasetPlan

TEMPLATE = "$.infer_cfg.prompt_template"


def static_warnings(plan: DatasetPlan) -> tuple[Problem, ...]:
    """Return what the templates alone lose."""
    return (
        *_lost_examples(plan),
        *_lost_texts(plan),
        *_lost_roles(plan),
        *_first_label_only(plan),
    )


def row_warnings(plan: DatasetPlan, instance: Instance) -> tuple[Problem, ...]:
    """Return what is lost or changed by the data of one row."""
    found = _filled_twice(plan.fields, instance.parameters)
    return tuple(_of_row(plan, instance, message) for message in found)


def example_warnings(plan: DatasetPlan) -> tuple[Problem, ...]:
    """Return what is changed by the data of the examples that were written since the last call."""
    found = []
    for position in plan.context.take_written():
        row, line = _example(plan, position)
        name = getattr(plan.data.train.rows, "name", plan.spec.file.name)
        file = display_path(plan.spec.folder / name)
        # An example is filled a second time, with the row's columns, once it stands in the prompt.
        for message in _filled_twice(plan.fields, row, every=True):
            found.append(Problem(f"example {position}: {message}", file, line, severity="warning"))
    return tuple(found)


def fields_of(plan: DatasetPlan) -> dict[str, str]:
    """Return the columns that the templates show -> the text that is filled in for each."""
    templates = (plan.prompt_template, plan.context.ice_template)
    texts = [text for part in ("prompt_template", "ice_template")
             for text in _texts((plan.spec.infer_cfg or {}).get(part) or "")]  # fmt: skip
    tokens: dict[str, str] = {}
    for template in templates:
        if isinstance(template, PromptTemplate) and isinstance(template.template, str):
            tokens.update(template.column_token_map or {})
    columns = (*plan.data.test.columns, "subdivision", "idx")
    fields = {column: tokens.get(column, f"{{{column}}}") for column in columns}
    named = set(tokens)
    for template in templates:
        named.update(getattr(template, "column_token_map", None) or {})
    return {
        column: field
        for column, field in fields.items()
        if column in named or any(field in text for text in texts)
    }


def _example(plan: DatasetPlan, position: int) -> tuple[Mapping[str, Any], int | None]:
    train = plan.data.train
    at = position if train.picked is None else train.picked[position]
    rows = train.rows
    line = rows.record(at).line if isinstance(rows, RowSource) and at >= 0 else None
    return train[position], line


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


def _lost_roles(plan: DatasetPlan) -> Iterator[Problem]:
    """Find messages inside `round` whose role is only a reserved one: APIs get nothing of them."""
    template, meta = plan.prompt_template or plan.context.ice_template, plan.model.meta_template
    if plan.model.kind != "api" or not isinstance(meta, Mapping):
        return
    if not isinstance(template, PromptTemplate) or not isinstance(template.template, dict):
        return
    speaking, reserved = (
        {item.get("role") for item in meta.get(key) or () if isinstance(item, Mapping)}
        for key in ("round", "reserved_roles")
    )
    for dialogue in _dialogues(template):
        content = dialogue.get("round")
        for message in content if isinstance(content, list) else ():
            role = message.get("role") if isinstance(message, Mapping) else None
            if role in reserved and role not in speaking and "fallback_role" in message:
                what = f"a message of {role} inside `round` is not sent: put it into `begin`"
                yield _warning(plan, what, f"{TEMPLATE}.template.round")


def _first_label_only(plan: DatasetPlan) -> Iterator[Problem]:
    template = plan.prompt_template
    labels = template.labels if isinstance(template, PromptTemplate) else None
    if labels and not template.is_dialogue and isinstance(plan.inferencer, GenInferencer):  # type: ignore[union-attr]
        yield _warning(
            plan, f"a generation uses the template of the first label {labels[0]!r} only"
        )


def _filled_twice(
    fields: Mapping[str, str], row: Mapping[str, Any], *, every: bool = False
) -> Iterator[str]:
    """Find shown data that contains the field of a later (`every`: any) column: it is taken for a
    field and filled."""
    later = dict.fromkeys(row)
    for column, value in row.items():
        del later[column]
        if column not in fields or not isinstance(value, str):
            continue
        for other in row if every else later:
            field = fields.get(other, f"{{{other}}}")
            if field in value:
                yield f"column {column!r} contains the text {field}, which is filled too"


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
