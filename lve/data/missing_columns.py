"""Reports a parameter without a column in a CSV file once, for the header, not for every row."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lve.errors import Problem
from lve.escape import excerpt, listed
from lve.spec.spec import Instance, Spec
from lve.suggest import did_you_mean
from lve.workspace import display_path


def with_all_columns(
    spec: Spec, rows: Iterator[Instance | Problem], preset: Collection[str] = ()
) -> Iterator[Instance | Problem]:
    """Yield instances and problems. If a CSV file has no column for a parameter, a single problem
    with its header replaces all its rows.

    Args:
        spec: the test.
        rows: its instances.
        preset: parameters that the user sets, which need no column.
    """
    if spec.dataset is None or spec.infer_cfg is not None or not spec.parameters:
        return rows
    return _with_all_columns(spec, rows, preset)


def _with_all_columns(
    spec: Spec, rows: Iterator[Instance | Problem], preset: Collection[str]
) -> Iterator[Instance | Problem]:
    from lve.data.columns import csv_columns  # late: few tests have a data set

    csv_file = csv_columns(spec)
    file, columns = csv_file if csv_file is not None else (None, frozenset[str]())
    missing = [name for name in spec.parameters if name not in columns and name not in preset]
    is_reported = False
    for row in rows:
        if not missing or isinstance(row, Problem) or row.source != file:
            yield row
        elif not is_reported:
            is_reported = True
            yield _problem(spec, row.source, missing, columns)


def _problem(spec: Spec, file: str, missing: list[str], columns: Collection[str]) -> Problem:
    plural = "s" if len(missing) > 1 else ""
    message = f"no column{plural} for the parameter{plural} {listed(missing)}"
    instead = f"it has {listed(sorted(columns))}; or give -p {excerpt(missing[0])}=VALUE"
    hint = did_you_mean(missing[0], sorted(columns)) or instead
    return Problem(message, display_path(spec.folder / file), 1, hint=hint, code="missing_column")
