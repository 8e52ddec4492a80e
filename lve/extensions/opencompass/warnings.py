"""Warnings about parts of templates and data that upstream drops silently, and lve drops, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from lve.data.problems import row_problem
from lve.data.row_sources import RowSource
from lve.documents.position_types import JsonPath
from lve.documents.read import DocumentPosition
from lve.errors import Problem
from lve.escape import head
from lve.extensions.opencompass.inferencers.inferencer import (
    Inferencer,
    argument_names,
    ignored_arguments,
)
from lve.extensions.opencompass.raw import RawPromptTemplate
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.rows.shown_columns import FIELD, texts_in
from lve.extensions.opencompass.template import PromptTemplate
from lve.file_names import DOCUMENT_NAMES
from lve.json_types import json_type
from lve.spec.spec import Instance
from lve.suggest import closest
from lve.workspace import display_path

MAX_TOKENS = 1000
"""Number of column tokens that are searched for in the data."""
TEMPLATE = ("infer_cfg", "prompt_template")
_MODEL_ARGS = ("temperature", "top_p", "top_k", "do_sample", "seed", "max_tokens")


def static_warnings(writer: RowWriter, inferencer: Inferencer) -> tuple[Problem, ...]:
    """Return the warnings about a test's templates that don't depend on its data.

    Args:
        writer: has the templates.
        inferencer: of the test.
    """
    return (
        *_lost_examples(writer),
        *_lost_texts(writer),
        *_lost_roles(writer),
        *(_first_label_only(writer) if inferencer.uses_first_label else ()),
        *_ignored_arguments(writer, type(inferencer)),
    )


def row_warnings(writer: RowWriter, instance: Instance) -> tuple[Problem, ...]:
    """Return the warnings about the data of one row."""
    row = instance.parameters
    messages = (
        *_filled_twice(writer.columns, row), *_nulls(writer, row), *_not_expanded(writer, row),
    )  # fmt: skip
    return tuple(_of_row(writer, instance, message) for message in messages)


def example_warnings(writer: RowWriter) -> tuple[Problem, ...]:
    """Return the warnings about the examples that have been rendered since the last call."""
    problems = []
    for position in writer.prompts.take_written():
        row, file, line = _example(writer, position)
        # The prompt's columns are filled into its examples, too.
        for message in _filled_twice(writer.columns, row, every=True):
            message = f"example {position}: {message}"
            problems.append(Problem(message, file, line, severity="warning", code="template"))
    return tuple(problems)


def _example(writer: RowWriter, position: int) -> tuple[Mapping[str, object], Path, int | None]:
    """Return an example with its file, and the line if that is a data file."""
    train, folder = writer.data.train, writer.spec.folder
    rows = train.rows
    if not isinstance(rows, RowSource):
        return train[position], display_path(writer.spec.file), None
    at = position if train.picked is None else train.picked[position]
    has_line = rows.name not in DOCUMENT_NAMES and at >= 0
    line = rows.record(at).line if has_line else None
    return train[position], display_path(folder / rows.name), line


def _lost_examples(writer: RowWriter) -> Iterator[Problem]:
    template = writer.template
    if writer.prompts.ice_template is None or not isinstance(template, PromptTemplate):
        return
    token = template.ice_token
    if token and not any(token in text for text in texts_in(template.template)):
        yield _warning(writer, f"ice_token {token!r} is nowhere in the template: examples are lost")


def _lost_texts(writer: RowWriter) -> Iterator[Problem]:
    template = writer.template or writer.prompts.ice_template
    if writer.model.kind != "api" or not isinstance(writer.model.meta_template, Mapping):
        return
    if not isinstance(template, PromptTemplate) or not isinstance(template.template, dict):
        return
    for dialogue in _dialogues(template):
        for section in ("begin", "round", "end"):
            content = dialogue.get(section)
            items = content if isinstance(content, list) else [content]
            for item in items:
                if isinstance(item, str) and item.strip() and item != template.ice_token:
                    message = (
                        f"the text {head(repr(item), 40)} has no role: a chat model doesn't get it"
                    )
                    yield _warning(writer, message, (*TEMPLATE, "template", section))


def _lost_roles(writer: RowWriter) -> Iterator[Problem]:
    """Find messages in `round` that aren't sent to an API because their role is only a reserved
    one."""
    template, meta = writer.template or writer.prompts.ice_template, writer.model.meta_template
    if writer.model.kind != "api" or not isinstance(meta, Mapping):
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
            if not isinstance(role, str):
                continue  # Rendering reports it.
            if role in reserved and role not in speaking and "fallback_role" in message:
                what = f"a message of {role} inside `round` is not sent: put it into `begin`"
                yield _warning(writer, what, (*TEMPLATE, "template", "round"))


def _first_label_only(writer: RowWriter) -> Iterator[Problem]:
    template = writer.template
    labels = template.labels if isinstance(template, PromptTemplate) else None
    if labels and not template.is_dialogue:  # type: ignore[union-attr]
        yield _warning(
            writer, f"a generation uses the template of the first label {labels[0]!r} only"
        )


def _ignored_arguments(writer: RowWriter, kind: type[Inferencer]) -> Iterator[Problem]:
    infer = writer.spec.infer_cfg or {}
    if "max_out_len" in infer:
        what = "`max_out_len` has no effect here, as upstream"
        yield replace(
            _warning(writer, what, ("infer_cfg", "max_out_len")),
            hint="it belongs into `inferencer`",
        )
    config = infer.get("inferencer") or {}
    for key in ignored_arguments(kind, config):
        similar = closest(key, argument_names(kind), cutoff=0.8)
        hint = f"did you mean `{similar}`?" if similar else None
        if key in _MODEL_ARGS:
            hint = "a model argument goes into `default_model_args`"
        what = f"`{key}` has no effect, as upstream"
        path = ("infer_cfg", "inferencer", key)
        yield replace(_warning(writer, what, path), hint=hint)


def _filled_twice(
    fields: Mapping[str, str], row: Mapping[str, object], *, every: bool = False
) -> Iterator[str]:
    """Find cells that contain the field of a later column (with `every`, of any column), because it
    will be filled there, too."""
    later = dict.fromkeys(row)
    tokens = [c for c in islice(fields, MAX_TOKENS) if fields[c] != f"{{{c}}}"]
    for column, value in row.items():
        del later[column]
        if column not in fields or not isinstance(value, str):
            continue
        others = row if every else later
        for other in dict.fromkeys((*FIELD.findall(value), *tokens)):
            field = fields.get(other, f"{{{other}}}")
            if other in others and field in value:
                yield f"column {column!r} contains the text {field}, which is filled too"


def _nulls(writer: RowWriter, row: Mapping[str, object]) -> Iterator[str]:
    if None not in row.values():
        return
    for column, value in row.items():
        if value is None and column in writer.columns and column != writer.prompts.output_column:
            yield f"column {column!r} has no value: the prompt says None"


def _not_expanded(writer: RowWriter, row: Mapping[str, object]) -> Iterator[str]:
    """Find columns for `expand_column` without messages: upstream sends nothing for them."""
    template = writer.template
    if not isinstance(template, RawPromptTemplate):
        return
    for column in template.expanded:
        value = row.get(column)
        if column not in row or not isinstance(value, list | None):
            kind = json_type(value) if column in row else "not there"
            what = f"column {column!r} is {kind}, no list of messages"
            yield f"{what}: `expand_column` sends nothing"


def _dialogues(template: PromptTemplate) -> list[Mapping[str, object]]:
    if template.is_dialogue:
        return [template.template]
    return [value for value in template.template.values() if isinstance(value, dict)]


def _warning(writer: RowWriter, message: str, path: JsonPath = TEMPLATE) -> Problem:
    problem = DocumentPosition(writer.spec.file, path).problem(message, code="template")
    return replace(problem, severity="warning")


def _of_row(writer: RowWriter, instance: Instance, message: str) -> Problem:
    return row_problem(writer.spec, instance, message, severity="warning", code="template")
