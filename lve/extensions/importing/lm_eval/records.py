"""The lines of the dump as values. A task may forge them: each is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lve.data_classes import dataclass, field
from lve.documents.json_text import has_lone_surrogate
from lve.escape import excerpt
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple

TYPES = ("generate_until", "multiple_choice", "loglikelihood", "loglikelihood_rolling")
MAX_CHOICES = 1_000
MAX_NAME = 200
"""Characters of the name of a group."""
MAX_MEMBERS = 500
"""Tasks of a group, each of whose tests names them all."""


class NoCounterpartError(ValueError):
    """A part of a task can't be imported. The message says why."""


class RecordError(ValueError):
    """A line isn't what the dump writes. The message says why."""


class Metric(NamedTuple):
    """A metric of a task."""

    name: str
    options: JsonObject
    aggregation: str
    is_own: bool
    """Whether the task's own code computes it."""
    probe: JsonObject | None
    """Of an aggregation that is the task's own code, what it makes of `dump.LABELS` and
    `dump.NUMBERS`."""


class Step(NamedTuple):
    """A step of a filter."""

    function: str
    options: JsonObject
    is_own: bool


class Chain(NamedTuple):
    """A named filter: steps that answers go through."""

    name: str
    steps: tuple[Step, ...]


@dataclass(slots=True)
class Task:
    """A task, as the dump describes it."""

    name: str
    file: str
    version: str
    output_type: str
    metrics: tuple[Metric, ...]
    chains: tuple[Chain, ...]
    repeats: int
    delimiter: str
    data: str
    """The name of its data set."""
    rows: list[JsonObject] = field(default_factory=list)
    scripted: list[JsonObject] = field(default_factory=list)
    """What the harness says of scripted answers to some rows."""
    aggregated: list[JsonObject] = field(default_factory=list)
    """What it makes of those of all these rows."""


class TaskGroup(NamedTuple):
    """A group of tasks with scores."""

    name: str
    file: str
    tasks: Sequence[str]
    metrics: tuple[tuple[str, Sequence[str] | None, bool], ...]
    """Name of each metric, the filters (None: those that its tasks have), and whether tasks count
    by their size."""


def group_of(record: JsonObject) -> TaskGroup:
    """Return the group of a line.

    Raises:
        RecordError: the line isn't one of a group.
    """
    metrics = [
        (_text(item, "name"), _filters(item), item.get("by_size") is not False)
        for item in _objects(record, "metrics")
    ]
    name, tasks = _text(record, "group"), texts_of(record, "tasks")
    if not 0 < len(name) <= MAX_NAME or has_lone_surrogate(record):
        raise RecordError(f"its name isn't one to {MAX_NAME} characters")
    if len(tasks) > MAX_MEMBERS or sum(len(filters or "x") for _, filters, _ in metrics) > 100:
        raise RecordError(f"it has more than {MAX_MEMBERS} tasks or 100 scores")
    return TaskGroup(name, _text(record, "file"), tasks, tuple(metrics))


def _filters(item: JsonObject) -> Sequence[str] | None:
    return None if item.get("filters") is None else texts_of(item, "filters")


def task_of(record: JsonObject) -> Task:
    """Return the task of a line.

    Raises:
        RecordError: the line isn't one of a task.
    """
    output_type = _text(record, "output_type")
    if output_type not in TYPES:
        raise RecordError(f"there is no output type {excerpt(output_type)}")
    repeats = record.get("repeats")
    version = _text(record, "version")
    data = record.get("data")
    return Task(
        name=_text(record, "task"),
        file=_text(record, "file"),
        version="" if version == "Yaml" else version,
        output_type=output_type,
        metrics=tuple(map(_metric, _objects(record, "metrics"))),
        chains=tuple(map(_chain, _objects(record, "filters"))),
        repeats=repeats if isinstance(repeats, int) and repeats > 0 else 1,
        delimiter=_text(record, "delimiter"),
        data="/".join(map(str, data)) if isinstance(data, list) else "",
    )


def _metric(item: JsonObject) -> Metric:
    return Metric(
        _text(item, "name"),
        _object(item, "options"),
        _text(item, "aggregation"),
        item.get("is_own") is not False,
        _object(item, "probe") if item.get("probe") is not None else None,
    )


def _chain(item: JsonObject) -> Chain:
    steps = [
        Step(_text(step, "function"), _object(step, "options"), step.get("is_own") is not False)
        for step in _objects(item, "steps")
    ]
    return Chain(_text(item, "name"), tuple(steps))


def check_row(task: Task, row: JsonObject) -> None:
    """Check the line of a row.

    Raises:
        RecordError: it can't be a row of the task; the message says why.
    """
    if isinstance(why := row.get("why"), str):
        raise RecordError(why)
    if not isinstance(row.get("doc"), int):
        raise RecordError("a row has no number")
    if has_lone_surrogate(row):
        raise RecordError("it has half of a character")
    match task.output_type:
        case "generate_until":
            _text(row, "prompt")
            _object(row, "options")
        case "loglikelihood_rolling":
            _text(row, "text")
            _numbers(row, "units")
        case "loglikelihood":
            _check_texts(row)
            _numbers(row, "units")
        case _:
            _check_texts(row)


def _check_texts(row: JsonObject) -> None:
    contexts, continuations = texts_of(row, "contexts"), texts_of(row, "continuations")
    if len(contexts) not in (1, len(continuations)) or not continuations:
        raise RecordError("its contexts and continuations don't fit together")
    if len(continuations) > MAX_CHOICES:
        raise RecordError(f"it has more than {MAX_CHOICES:,} choices")
    if "choices" in row and len(texts_of(row, "choices")) != len(continuations):
        raise RecordError("its choices and continuations don't fit together")


def texts_of(record: Mapping[str, JsonValue], key: str) -> Sequence[str]:
    """Return a list of texts of a line.

    Raises:
        RecordError: it is none.
    """
    value = record.get(key)
    texts = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(texts) < len(value):
        raise RecordError(f"{key!r} is no list of texts")
    return texts


def _text(record: Mapping[str, JsonValue], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise RecordError(f"{key!r} is no text")
    return value


def _object(record: Mapping[str, JsonValue], key: str) -> JsonObject:
    value = record.get(key)
    if not isinstance(value, dict):
        raise RecordError(f"{key!r} is no object")
    return value


def _numbers(record: Mapping[str, JsonValue], key: str) -> None:
    if not all(isinstance(value, float) and value > 0 for value in _object(record, key).values()):
        raise RecordError(f"{key!r} are no numbers above 0")


def _objects(record: Mapping[str, JsonValue], key: str) -> list[JsonObject]:
    value = record.get(key)
    items: list[JsonObject] = []
    if isinstance(value, list):
        items += [item for item in value if isinstance(item, dict)]
    if not isinstance(value, list) or len(items) < len(value) or len(items) > MAX_CHOICES:
        raise RecordError(f"{key!r} is no list of objects")
    return items
