"""Makes the instances of a test with `infer_cfg` from the test rows of its data set."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lve.data.columns import ADDED
from lve.data.instance_files import is_named
from lve.data.row_sources import RowSource
from lve.data.rows import Row
from lve.errors import Problem
from lve.extensions.opencompass.data.tables import Reader
from lve.extensions.opencompass.data.template_data import (
    TemplateData,
    needs_examples,
    template_data,
)
from lve.spec.recorded_row import args_key
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path


def template_instances(
    spec: Spec, recorded: Sequence[Instance], names: Sequence[str] | None
) -> Iterator[Instance | Problem]:
    """Yield the rows with a recorded result, then the other rows.

    Args:
        spec: a test with `infer_cfg`.
        recorded: the recorded instances; their args are the columns of a row.
        names: yield the other rows only if one of these is their file; None: always.

    Raises:
        SpecError: the data set can't be read.
    """
    data = template_data(spec)
    yield from _unreadable_examples(spec, data)
    recorded_positions = set[int]()
    if recorded:
        yield from _recorded_rows(spec, data, recorded, recorded_positions)
    rows = data.test.rows
    source = rows.name if isinstance(rows, RowSource) else spec.file.name
    if names is None or is_named(spec.folder / source, names):
        yield from _other_rows(spec, data, source, recorded_positions)


def _unreadable_examples(spec: Spec, data: TemplateData) -> Iterator[Problem]:
    """Yield the problems of bad rows for examples. Without these rows, the retriever would choose
    other examples, so the prompts would be wrong."""
    rows = data.train.rows
    if not needs_examples(spec) or rows is data.test.rows:
        return
    if isinstance(rows, RowSource):
        yield from rows.problems()


def _recorded_rows(
    spec: Spec, data: TemplateData, recorded: Sequence[Instance], recorded_positions: set[int]
) -> Iterator[Instance | Problem]:
    waiting: dict[str, deque[Instance]] | None = None
    rows: dict[str, tuple[int, Row]] = {}
    for numbered_row in data.rows():
        if isinstance(numbered_row, Problem):
            continue  # reported with the other rows
        position, row = numbered_row
        if waiting is None:
            waiting = _by_columns(recorded, row)
        key = args_key(columns_of(row.values))
        answers = waiting.get(key) or deque[Instance]()
        if answers and (key not in rows or len(answers) >= spec.repeats):
            rows.setdefault(key, numbered_row)
            recorded_positions.add(position)
            for _ in range(min(spec.repeats, len(answers))):
                yield _recorded_instance(spec, data, numbered_row, answers.popleft())
    for key, rest in (waiting or _by_columns(recorded, None)).items():
        for instance in rest:  # there are more recorded results than such rows
            if key in rows:
                yield _recorded_instance(spec, data, rows[key], instance)
            else:
                yield _no_row(spec, instance)


def _by_columns(recorded: Iterable[Instance], row: Row | None) -> dict[str, deque[Instance]]:
    """Return instances grouped by the `args_key` of their columns.

    Their other args are model args that `lve record --model-arg` added, which don't identify a row.
    """
    columns = row.values if row else {}
    waiting: dict[str, deque[Instance]] = defaultdict(deque)
    for instance in recorded:
        waiting[args_key(_split(instance.args, columns)[0])].append(instance)
    return waiting


def _split(
    args: Mapping[str, object], columns: Container[str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Split the args of an instance: return its columns, and its model args."""
    added = {name for name in args if name not in columns}
    return (
        {name: value for name, value in args.items() if name not in added},
        {name: args[name] for name in added},
    )


def _recorded_instance(
    spec: Spec, data: TemplateData, numbered_row: tuple[int, Row], instance: Instance
) -> Instance:
    instance_of_row = _instance(spec, data, *numbered_row, instance.source)
    added = _split(instance.args, numbered_row[1].values)[1]
    model_args = {name: value for name, value in added.items() if value is not None}
    return replace(
        instance_of_row,
        args={**instance_of_row.args, **added},
        model_args={**instance_of_row.model_args, **model_args},
        line=instance.line,
        recorded=instance.recorded,
        repeat=instance.repeat,
    )


def _no_row(spec: Spec, instance: Instance) -> Problem:
    file = display_path(spec.folder / instance.source)
    hint = "its args are the columns of a row, all of them"
    return Problem(
        "is no row of the data set", file, instance.line, path="$.args", hint=hint, code="instance"
    )


def _other_rows(
    spec: Spec, data: TemplateData, source: str, recorded_positions: set[int]
) -> Iterator[Instance | Problem]:
    for numbered_row in data.rows():
        if isinstance(numbered_row, Problem):
            yield numbered_row
        elif numbered_row[0] not in recorded_positions:
            yield _instance(spec, data, *numbered_row, source)


def _instance(spec: Spec, data: TemplateData, position: int, row: Row, source: str) -> Instance:
    args = inferencer_args(spec)
    columns = columns_of(row.values)
    reference = right_answer(spec, data.reader, row.values, lambda: data.choices)
    return Instance(columns, row.values, args, source, row.line, None, reference, position)


def judged_instance(spec: Spec, row: Instance) -> Instance:
    """Return the instance of a result's args, which are complete columns of a row.

    Args:
        spec: a test with `infer_cfg`.
        row: the instance that another test would have with these args.
    """
    reader = Reader.from_config(spec.reader_cfg or {"input_columns": []})
    reference = right_answer(spec, reader, row.args, lambda: template_data(spec).choices)
    # In a data set with templates, a column is a parameter even if it is named like a model arg.
    return replace(row, parameters=row.args, reference=reference)


def right_answer(
    spec: Spec, reader: Reader, row: Mapping[str, Any], choices_of_data: Callable[[], Any]
) -> Any:
    """Return the right answer of a row.

    If a dialogue has one answer per turn and the model only answers the last turn, it is the last
    one. If choices are rated, a number is the index of a choice, as upstream.

    Args:
        spec: a test with `infer_cfg`.
        reader: has the names of the columns.
        row: the values of the row.
        choices_of_data: returns the choices of the data set.
    """
    column = reader.output_column
    reference = row.get(column) if column else None
    if isinstance(reference, int) and _inferencer(spec)[0] == "CLPInferencer":
        choices = choices_of_data()
        is_index = isinstance(choices, list) and 0 <= reference < len(choices)
        return choices[reference] if is_index else reference
    if not isinstance(reference, list) or not _asks_last_turn(spec):
        return reference
    inputs = [row.get(name) for name in reader.input_columns]
    is_per_turn = any(isinstance(v, list) and len(v) == len(reference) for v in inputs)
    return reference[-1] if is_per_turn and reference else reference


def _asks_last_turn(spec: Spec) -> bool:
    kind, inferencer = _inferencer(spec)
    by_default = {"ChatInferencer": "last", "MultiTurnGenInferencer": "every"}.get(kind)
    return by_default is not None and inferencer.get("infer_mode", by_default) == "last"


def _inferencer(spec: Spec) -> tuple[str, Mapping[str, object]]:
    inferencer = (spec.infer_cfg or {}).get("inferencer") or {}
    return str(inferencer.get("type")).rpartition(".")[2], inferencer


def columns_of(row: Mapping[str, object]) -> dict[str, object]:
    """Return a complete row without the columns that lve adds."""
    return {name: value for name, value in row.items() if name not in ADDED}


def inferencer_args(spec: Spec) -> dict[str, object]:
    """Return the model args that `infer_cfg.inferencer` sets, which has OpenCompass's names."""
    inferencer = (spec.infer_cfg or {}).get("inferencer") or {}
    args: dict[str, object] = {}
    if isinstance(inferencer.get("max_out_len"), int):
        args["max_tokens"] = inferencer["max_out_len"]
    if inferencer.get("stopping_criteria"):
        args["stop"] = list(inferencer["stopping_criteria"])
    return args
