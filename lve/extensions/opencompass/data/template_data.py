"""The tables of a test with `infer_cfg`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from lve.data.dataset import splits_of
from lve.data.row_sources import RowSource
from lve.data.rows import Row
from lve.data_classes import dataclass
from lve.errors import Problem, SpecError, TemplateError
from lve.extensions.opencompass.data.tables import Reader, Table
from lve.spec.spec import Spec
from lve.workspace import display_path

AISBENCH_TYPES = ("MultiTurnPromptTemplate", "MMPromptTemplate", "MultiTurnGenInferencer")
"""Types that only AISBench has. A test that uses one follows AISBench's rules."""


@dataclass(frozen=True)
class TemplateData:
    """The data of a test with `infer_cfg`: rows for examples (`train`), and rows to test."""

    reader: Reader
    train: Table
    test: Table
    dialect: str

    @cached_property
    def choices(self) -> Any:
        """The column `choices` of the first test row, from which CLPInferencer chooses."""
        try:
            return self.test[0].get("choices")
        except IndexError:
            return None

    def rows(self) -> Iterator[tuple[int, Row] | Problem]:
        """Yield position (from 0) and complete row of each test row, and the problems of bad rows.

        The rows are streamed, unless `test_range` selects some of them. Then the problems come
        first, and the range doesn't count bad rows.
        """
        source = self.test.rows
        if self.test.picked is None and isinstance(source, RowSource):
            position = 0
            for row in source.records():
                if isinstance(row, Problem):
                    yield row
                    continue
                values = self.test.complete(row.values, position, position)
                yield position, Row(values, row.line)
                position += 1
            return
        if isinstance(source, RowSource):
            yield from source.problems()
        for position in range(len(self.test)):
            yield position, self.row(position)

    def row(self, position: int) -> Row:
        """Return one complete test row.

        Raises:
            IndexError: there is no such row.
        """
        picked = self.test.picked
        source = self.test.rows
        at = position if picked is None else picked[position]
        row = source.record(at) if isinstance(source, RowSource) else Row(source[at], at + 1)
        return Row(self.test.complete(row.values, position, at), row.line)


def dialect_of(spec: Spec) -> str:
    """Return the dialect of a test: its `dialect`, or `aisbench` if it uses one of AISBench's
    types, or `opencompass`."""
    if spec.dialect is not None:
        return spec.dialect
    parts = (spec.infer_cfg or {}).values()
    types = (str(part.get("type")) for part in parts if isinstance(part, Mapping))
    return "aisbench" if any(map(_is_aisbench, types)) else "opencompass"


def _is_aisbench(name: str) -> bool:
    return name.startswith("ais_bench.") or name.rpartition(".")[2] in AISBENCH_TYPES


def template_data(spec: Spec) -> TemplateData:
    """Return the tables of a test with `infer_cfg`.

    Raises:
        SpecError: the data set can't be read, or `reader_cfg` doesn't fit it.
    """
    dialect = dialect_of(spec)
    try:
        reader = Reader.from_config(spec.reader_cfg or {"input_columns": []})
        train, test = reader.tables(
            splits_of(spec), name=spec.name, dialect=dialect, needs_examples=needs_examples(spec)
        )
    except TemplateError as error:
        problem = Problem(str(error), display_path(spec.file), path="$.reader_cfg", code=error.code)
        raise SpecError([problem]) from error
    _check_columns(spec, reader, test)
    return TemplateData(reader, train, test, dialect)


def needs_examples(spec: Spec) -> bool:
    """Return whether the retriever may choose rows as examples."""
    retriever = (spec.infer_cfg or {}).get("retriever")
    kind = str(retriever.get("type")) if isinstance(retriever, Mapping) else ""
    return kind.rpartition(".")[2] != "ZeroRetriever"


def _check_columns(spec: Spec, reader: Reader, test: Table) -> None:
    """Refuse rows without the `category_column`."""
    category = (spec.reader_cfg or {}).get("category_column")
    if category is not None and test.columns and category not in test.columns:
        hint = f"known are {', '.join(test.columns)}"
        raise SpecError([_no_column(spec, category, "category_column", hint)])


def _no_column(spec: Spec, column: object, key: str, hint: str) -> Problem:
    message, path = f"the rows have no column {column!r}", f"$.reader_cfg.{key}"
    return Problem(message, display_path(spec.file), path=path, hint=hint, code="missing_column")
