"""Reads the columns of a test's data set from its first rows, before the test runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from lve.data.dataset import splits_of
from lve.data.dataset_selection import SelectedRows
from lve.data.row_sources import FileRows, ListedRows, RowSource
from lve.data.rows import Row
from lve.errors import LveError
from lve.spec.spec import Spec

ADDED = ("subdivision", "idx")
"""Columns that lve adds to the rows of a test with `infer_cfg`."""
_QUICK = (".csv", ".jsonl")
_ROWS = 20
"""How many rows are read. Several, because in JSONL their columns may differ."""


def first_columns(spec: Spec) -> frozenset[str] | None:
    """Return the names of the columns in the first rows of a test's data set.

    None if there is no data set, or its first rows can't be read quickly (only those of CSV, JSONL
    and the document itself can). Also None if reading fails or finds nothing, which is reported
    elsewhere.
    """
    if spec.dataset is None or _is_on_hub(spec.dataset):
        return None
    try:
        source = _test_rows(spec)
        rows = None if source is None else _first_rows(source)
        names = {name for row in rows or () for name in row}
    except LveError:
        return None
    if not names:
        return None
    return frozenset(names.union(ADDED) if spec.infer_cfg is not None else names)


def csv_columns(spec: Spec) -> tuple[str, frozenset[str]] | None:
    """Return the name of a test's CSV file and its columns. None if its rows aren't in a CSV file
    or there are none, which is reported elsewhere."""
    if spec.dataset is None or _is_on_hub(spec.dataset):
        return None
    try:
        source = _test_rows(spec)
    except LveError:
        return None
    file = source.source if isinstance(source, SelectedRows) else source
    if not (isinstance(file, FileRows) and file.ending == ".csv"):
        return None
    columns = first_columns(spec)
    return None if columns is None else (file.name, columns)


def _is_on_hub(data: object) -> bool:
    if not isinstance(data, Mapping):
        return False
    return "hub" in data or any(_is_on_hub(value) for value in data.values())


def _test_rows(spec: Spec) -> RowSource | None:
    """Return the rows that become instances, not those for examples."""
    splits = splits_of(spec)
    if isinstance(splits, RowSource):
        return splits
    return splits.get(str((spec.reader_cfg or {}).get("test_split", "test")))


def _first_rows(source: RowSource) -> Iterator[Mapping[str, object]] | None:
    if isinstance(source, SelectedRows):
        rows = _first_rows(source.source)
        return None if rows is None else map(source.selection.renamed, rows)
    if isinstance(source, ListedRows) or (isinstance(source, FileRows) and source.ending in _QUICK):
        return (row.values for row in islice(source.records(), _ROWS) if isinstance(row, Row))
    return None
