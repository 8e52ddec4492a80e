"""Benign twins: honest rows that each harmful row of a data set names in a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.errors import Problem, SpecError
from lve.escape import excerpt
from lve.spec.spec import Spec
from lve.workspace import display_path


def twins(spec: Spec, column: str, parameter: str | None) -> Any:
    """Return the data set of the honest rows.

    A twin is a text, which takes the place of the parameter's value, or an object with values that
    differ from those of its row; several are a list. Rows without one have none. In a file, each
    row has a text.

    Args:
        spec: a test with a data set.
        column: its column with the twins.
        parameter: that texts are of; None: the test's only one.

    Raises:
        SpecError: it isn't clear what the twins are of, or no row has one.
    """
    names = spec.parameters if parameter is None else (parameter,)
    only = names[0] if len(names) == 1 else None
    dataset: Any = spec.dataset
    if isinstance(dataset, Mapping) and isinstance(dataset.get("rows"), list):
        dataset = dataset["rows"]
    if isinstance(dataset, list):
        rows = [twin for row in dataset for twin in _of_row(spec, row, column, only)]
        if not rows:
            raise _error(spec, f"no row has the column `{excerpt(column)}`")
        return rows
    source: Any = {"path": dataset} if isinstance(dataset, str) else dataset
    if not isinstance(source, Mapping) or not ({"path", "hub"} & source.keys()):
        raise _error(spec, "needs a data set that is written out, or one file")
    if only is None:
        raise _error(spec, "a column of a file has texts of one parameter, and the test has more")
    renamed = source.get("columns") or {}
    columns = {**renamed, only: column}
    return {**source, "columns": columns}


def _of_row(
    spec: Spec, row: object, column: str, only: str | None
) -> Iterator[Mapping[str, object]]:
    if not isinstance(row, Mapping):
        return
    written, own = row.get(column), {name: row[name] for name in row if name != column}
    several: Sequence[object] = written if isinstance(written, list) else [written]
    for twin in several:
        if isinstance(twin, Mapping):
            yield {**own, **twin}
        elif twin is not None and only is not None:
            yield {**own, only: twin}
        elif twin is not None:
            names = ", ".join(f"`{name}`" for name in spec.parameters)
            message = f"a twin that is a text could be of {names}"
            raise _error(spec, message, hint="write an object with the values that differ")


def _error(spec: Spec, message: str, hint: str | None = None) -> SpecError:
    where = display_path(spec.file)
    return SpecError([Problem(message, where, path="$.benign.column", hint=hint, code="attacks")])
