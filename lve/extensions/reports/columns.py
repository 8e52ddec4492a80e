"""The columns of the `.csv`, `.xlsx` and `.parquet` tables: a row per instance and repeat.

Columns keep their names and their order. New ones are added at the end. Args that are parameters,
the inputs of a test, have columns of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from lve.documents.json_lines import json_line
from lve.messages import Completion
from lve.named_tuples import NamedTuple
from lve.reporting.files.plain_text import prompt_text, response_text
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.verdicts.recorded_session import RecordedSession

FIRST_ROWS = 20
"""Results of a test without `prompt_parameters` whose columns a table has."""


def parameters_in(args: Mapping[str, object], test: SessionTest) -> Sequence[str]:
    """Return which args of a result are parameters. If the test has no `prompt_parameters`, these
    are all but known model args, as for a row of a data set."""
    if test.parameters:
        return [name for name in test.parameters if name in args]
    return [name for name in args if name not in KNOWN_MODEL_ARGS]


def parameters_of(sessions: Iterable[RecordedSession]) -> Iterable[str]:
    """Return the parameters of the tests of sessions, in their order, each once."""
    names, looked_at = dict[str, None](), set[tuple[str, str]]()
    for session in sessions:
        for pair, test in sorted(session.tests.items()):
            names.update(dict.fromkeys(test.parameters))
            if not test.parameters and (place := (session.id, test.test)) not in looked_at:
                looked_at.add(place)
                for result in islice(session.results(pair), FIRST_ROWS):
                    names.update(dict.fromkeys(parameters_in(result.args, test)))
    return names


Kind = Literal["text", "whole", "number", "flag"]
Value = str | int | float | bool | None


class Row(NamedTuple):
    """One instance and repeat of a session."""

    session: RecordedSession
    test: SessionTest
    result: InstanceResult

    @property
    def first(self) -> Completion | None:
        """The first completion; None if there is none."""
        for transcript in self.result.transcripts:
            for completion in transcript.completions:
                return completion
        return None


class Column(NamedTuple):
    """One column."""

    name: str
    kind: Kind
    value: Callable[[Row], Value]


def _args(row: Row, *, parameters: bool) -> str:
    names = parameters_in(row.result.args, row.test)
    args = {name: value for name, value in row.result.args.items() if (name in names) == parameters}
    return json_line(args)


def _first_completion(row: Row, name: str) -> Any:
    return getattr(row.first, name, None)


COLUMNS: tuple[Column, ...] = (
    Column("session", "text", lambda row: row.session.id),
    Column("test", "text", lambda row: row.result.test),
    Column("model", "text", lambda row: row.result.model),
    Column("source", "text", lambda row: row.result.source),
    Column("line", "whole", lambda row: row.result.line),
    Column("repeat", "whole", lambda row: row.result.repeat),
    Column("verdict", "text", lambda row: row.result.verdict),
    Column("as_expected", "flag", lambda row: row.result.verdict == row.test.expect.wanted),
    Column("reason", "text", lambda row: row.result.reason),
    Column("error_kind", "text", lambda row: row.result.error_kind),
    Column("score", "number", lambda row: row.result.score),
    Column("recorded", "text", lambda row: row.result.recorded),
    Column("advisory", "flag", lambda row: row.result.advisory),
    Column("parameters", "text", lambda row: _args(row, parameters=True)),
    Column("model_args", "text", lambda row: _args(row, parameters=False)),
    Column("prompt", "text", lambda row: prompt_text(row.result)),
    Column("response", "text", lambda row: response_text(row.result)),
    Column("prompt_tokens", "whole", lambda row: row.result.usage.prompt_tokens),
    Column("completion_tokens", "whole", lambda row: row.result.usage.completion_tokens),
    Column("cached_tokens", "whole", lambda row: row.result.usage.cached_tokens),
    Column("reasoning_tokens", "whole", lambda row: row.result.usage.reasoning_tokens),
    Column("cost", "number", lambda row: row.result.cost),
    Column("latency_s", "number", lambda row: round(row.result.latency_s, 6)),
    Column("first_token_s", "number", lambda row: _first_completion(row, "first_token_s")),
    Column("cached", "flag", lambda row: row.result.cached),
    Column("served_model", "text", lambda row: _first_completion(row, "model")),
    Column("finish_reason", "text", lambda row: _first_completion(row, "finish_reason")),
    Column("document", "text", lambda row: row.test.document),
    Column("category", "text", lambda row: row.test.category),
    Column(
        "tags", "text", lambda row: ", ".join(f"{name}={value}" for name, value in row.test.tags)
    ),
    Column("variant", "text", lambda row: row.result.variant),
)


MAX_PARAMETERS = 500
"""Parameters that have a column of their own; `parameters` has all."""


def columns_of(sessions: Sequence[RecordedSession]) -> tuple[Column, ...]:
    """Return the columns of a table of sessions: those of every table, and one for each parameter
    of their tests, `parameters.NAME`."""
    return (*COLUMNS, *map(_parameter, islice(parameters_of(sessions), MAX_PARAMETERS)))


def _parameter(name: str) -> Column:
    def value(row: Row) -> str | None:
        if name not in parameters_in(row.result.args, row.test):
            return None
        arg = row.result.args[name]
        return arg if isinstance(arg, str) else json_line(arg)

    return Column(f"parameters.{name}", "text", value)


def rows(sessions: Sequence[RecordedSession]) -> Iterator[Row]:
    """Yield the rows of sessions, ordered by test, model and file. Only one is in memory."""
    for session in sessions:
        for pair in session.index.pairs:
            for result in session.results(pair):
                yield Row(session, session.tests[pair], result)


def flat_rows(sessions: Sequence[RecordedSession]) -> Iterator[dict[str, Value]]:
    """Yield each row as column -> value, without the columns that list others' values."""
    columns = [column for column in columns_of(sessions) if column.name != "parameters"]
    for row in rows(sessions):
        values = {column.name: column.value(row) for column in columns}
        yield {
            name: value
            for name, value in values.items()
            if value is not None or not name.startswith("parameters.")
        }
