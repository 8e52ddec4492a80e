"""Reads the instances of a test, one at a time: recorded instances and rows of the data set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.data.instance_files import has_text, instance_files, is_named, is_usual, iter_values
from lve.data.problems import LineProblems, memory_of, row_problem, unknown_variant
from lve.data.rows import Row
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.validation.schema import explain_value, is_valid
from lve.errors import Problem, SpecError
from lve.escape import excerpt, head
from lve.extension_table import extension_part
from lve.file_names import INSTANCE_FOLDER
from lve.settings.reserved import refusal_of_model_arg
from lve.spec.location import why_unusable
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.data.recordings import Recordings


def iter_instances(
    spec: Spec, names: Sequence[str] | None = None, *, once: bool = False
) -> Iterator[Instance | Problem]:
    """Yield the instances of a test: first the recorded ones, then the rows that aren't recorded.

    Recorded instances come from the files in `instances/`, in the order of their names. Those with
    the same args are repeats of one row. A row with the args of a recorded instance is the same
    instance, so it isn't repeated: a row of the data set, or a line of `instances/` without an
    answer. A bad line yields a `Problem`. A test without parameters, instances and data set has one
    instance, without args.

    Args:
        spec: the test.
        names: only use these files, given as `x`, `x.jsonl` or `instances/x.jsonl`.
        once: whether to leave out repeats, as for a model that is asked again.
    """
    try:
        files = instance_files(spec.folder, names)
    except SpecError as error:
        return iter(error.problems)
    # Not a generator itself: every row would pass through one more.
    if files or spec.infer_cfg is not None:
        return _with_recordings(spec, files, names, once=once)
    rows: Iterable[Instance | Problem] = ()
    if spec.dataset is not None:
        rows = _dataset_instances(spec, names)
    elif names is None and not spec.parameters:
        rows = (make_instance(spec, {}, spec.file.name, 1),)
    return chain(_not_a_folder(spec.folder / INSTANCE_FOLDER), rows)


def _with_recordings(
    spec: Spec, files: Sequence[Path], names: Sequence[str] | None, *, once: bool
) -> Iterator[Instance | Problem]:
    from lve.data.recordings import Recordings  # late: many tests have no such files

    recordings = Recordings(spec, partial(_rows, spec, files, names), once=once)
    if spec.infer_cfg is not None:
        problems = () if files else _not_a_folder(spec.folder / INSTANCE_FOLDER)
        return chain(problems, _template_instances(spec, files, names, recordings))
    recorded = _of_files(spec, files, recordings)
    if spec.dataset is None:
        return recorded
    return chain(recorded, recordings.without(_dataset_instances(spec, names)))


def _rows(
    spec: Spec, files: Sequence[Path], names: Sequence[str] | None
) -> Iterator[Instance | Problem]:
    """Yield the rows without an answer, whether or not another line has one."""
    for file in files:
        for item in _file_instances(spec, file):
            if isinstance(item, Instance) and item.recorded is None:
                yield item
    if spec.dataset is not None:
        yield from _dataset_instances(spec, names)


def _not_a_folder(place: Path) -> Iterator[Problem]:
    """Yield a problem if `instances` exists but isn't a folder."""
    if os.path.lexists(place) and not place.is_dir():
        hint = "put its lines into instances/NAME.jsonl"
        yield Problem("must be a folder", display_path(place), hint=hint, code="unreadable")


def _template_instances(
    spec: Spec, files: Sequence[Path], names: Sequence[str] | None, recordings: Recordings
) -> Iterator[Instance | Problem]:
    recorded: list[Instance] = []
    for file in files:
        for row in _file_instances(spec, file):
            if isinstance(row, Problem):
                yield row
            elif row.recorded is None or recordings.add(row):
                recorded.append(row)
    try:
        yield from extension_part("infer_cfg instances")(spec, recorded, names)
    except SpecError as err:
        yield from err.problems


def _of_files(
    spec: Spec, files: Sequence[Path], recordings: Recordings
) -> Iterator[Instance | Problem]:
    """Yield the instances of files. Rows that have an answer, in whatever line, are left out."""
    answers: Recordings | None = None
    for file in files:
        for item in _file_instances(spec, file):
            if isinstance(item, Problem):
                yield item
            elif item.recorded is not None:
                if recordings.add(item):
                    yield item
            else:
                answers = answers or _answers(spec, files, recordings)
                if not (answers.take(item) or (spec.attack and recordings.has_row(item))):
                    yield item


def _answers(spec: Spec, files: Sequence[Path], recordings: Recordings) -> Recordings:
    """Return the recorded answers of files, also those that weren't read yet."""
    answers = recordings.empty()
    if any(has_text(file, spec.folder, b'"response"') for file in files):
        for file in files:
            for item in _file_instances(spec, file):
                if isinstance(item, Instance) and item.recorded is not None:
                    answers.add(item)
    return answers


def make_instance(
    spec: Spec, args: Mapping[str, Any], source: str, line: int, *, recorded: Recorded | None = None
) -> Instance:
    """Return an instance. Args named in `prompt_parameters` are parameters, others are model args.

    Args:
        spec: the test.
        args: parameters and model args together; null means not given.
        source: the file of the instance, relative to the test folder.
        line: its line in the file, from 1.
        recorded: the recorded result, if there is one.
    """
    names = spec.parameters
    if (*args,) == names and None not in args.values():  # nearly always
        return Instance(args, args, {}, source, line, recorded)
    parameters: dict[str, Any] = {}
    model_args: dict[str, Any] = {}
    for name, value in args.items():
        if value is not None:
            (parameters if name in names else model_args)[name] = value
    return Instance(args, parameters, model_args, source, line, recorded)


def instance_of_row(spec: Spec, values: Mapping[str, Any], source: str, line: int) -> Instance:
    """Return the instance of a row of a data set. Its columns are the args.

    If the test has no `prompt_parameters`, every column is a parameter, except known model args.
    """
    parameters: dict[str, Any] = {}
    model_args: dict[str, Any] = {}
    for name, value in values.items():
        if value is None:
            continue
        if name in spec.parameters or not (spec.parameters or name in KNOWN_MODEL_ARGS):
            parameters[name] = value
        elif name in KNOWN_MODEL_ARGS and (arg := _model_arg(name, value)) is not None:
            model_args[name] = arg
    column = (spec.reader_cfg or {}).get("output_column")
    reference = values.get(column) if column else None
    return Instance(values, parameters, model_args, source, line, None, reference)


def _model_arg(name: str, value: object) -> object:
    """Convert a cell to the value of a model arg.

    In CSV, all cells are texts. So numbers, true and false are parsed, and an empty cell means not
    given (None). `stop` stays a text.
    """
    if not isinstance(value, str) or name == "stop":
        return value
    if not value:
        return None
    try:
        return parse_json(value)
    except TextError:
        return value


def _file_instances(spec: Spec, file: Path) -> Iterator[Instance | Problem]:
    source, problems = f"{INSTANCE_FOLDER}/{file.name}", LineProblems(file)
    try:
        for line, value in iter_values(file, spec.folder):
            if isinstance(value, Problem):
                yield value
                continue
            wrong, is_answer = None, True
            if not (is_usual(value) or is_valid(value, "instance")):
                explain = partial(_invalid, value, file, line)
                wrong = problems.explained(line, explain, memory_of(value))
            elif value.get("variant") != spec.variant:
                if (use := _use_of_line(spec, value)) == "nothing":
                    continue
                wrong = unknown_variant(value, file, line) if use == "unknown" else None
                is_answer = use == "answer"
            if wrong is not None:
                yield wrong
                continue
            instance = _instance(spec, value, source, line, is_answer)
            is_plain = not (instance.model_args or spec.parameter_types)
            yield instance if is_plain else _checked(spec, instance)
    except OSError as err:
        yield Problem(why_unusable(err), display_path(file), code="unreadable")


def _use_of_line(spec: Spec, value: Mapping[str, Any]) -> str:
    """Return what a line of another variant is: an `answer`, a `row`, `nothing` or `unknown`."""
    if spec.attack or spec.attacks:
        return str(extension_part("line of an attacked test")(spec, value))
    is_there = (variant := value.get("variant")) is None or variant in spec.variants
    is_answer = variant is None or spec.variant is None
    return "unknown" if not is_there else "answer" if is_answer else "nothing"


def _invalid(value: object, file: Path, line: int) -> Problem | None:
    wrong = explain_value(value, "instance")
    return Problem("; ".join(wrong), display_path(file), line, code="instance") if wrong else None


def _instance(
    spec: Spec, value: Mapping[str, Any], source: str, line: int, is_answer: bool
) -> Instance:
    recorded = Recorded.from_json(value) if is_answer and "response" in value else None
    if spec.dataset is not None:
        row = instance_of_row(spec, value["args"], source, line)
        return replace(row, recorded=recorded)
    return make_instance(spec, value["args"], source, line, recorded=recorded)


def _dataset_instances(spec: Spec, names: Sequence[str] | None) -> Iterator[Instance | Problem]:
    from lve.data.dataset import instance_source

    try:
        source = instance_source(spec)
        if names is not None and not is_named(spec.folder / source.name, names):
            return
        for row in source.records():
            if isinstance(row, Row):
                yield _checked(spec, instance_of_row(spec, row.values, source.name, row.line))
            else:
                yield row
    except SpecError as err:
        yield from err.problems


def _checked(spec: Spec, instance: Instance) -> Instance | Problem:
    """Return the instance, or a problem if one of its args is invalid."""
    for name in instance.model_args:
        refusal = refusal_of_model_arg(name)
        if refusal is not None:
            return _args_problem(spec, instance, name, *refusal)
    for name, type_name in spec.parameter_types.items():
        value = instance.parameters.get(name)
        if value is not None and not _reads_as(value, type_name):
            message = f"must read as {type_name}, not {head(repr(value), 60)}"
            return _args_problem(spec, instance, name, message, None)
    return instance


def _args_problem(
    spec: Spec, instance: Instance, name: str, message: str, hint: str | None
) -> Problem:
    return row_problem(
        spec, instance, message, path=excerpt(f"$.args.{name}"), hint=hint, code="instance"
    )


def _reads_as(value: Any, type_name: str) -> bool:
    try:
        int(value) if type_name == "int" else float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
