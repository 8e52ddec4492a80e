"""`.parquet`: the table of results with typed columns (needs the extra `lve[datasets]`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import BinaryIO

from lve.extensions.reports.columns import Kind, Value, columns_of, rows
from lve.verdicts.recorded_session import RecordedSession

BATCH = 1000
"""Rows that are in memory at once."""
MAX_INT64 = 2**63 - 1
"""Larger numbers, as a forged result may have, are written as this."""


def write_parquet(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a row per instance and repeat."""
    import pyarrow
    from pyarrow import parquet

    types: dict[Kind, object] = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "number": pyarrow.float64(),
        "flag": pyarrow.bool_(),
    }
    columns = columns_of(sessions)
    schema = pyarrow.schema([(_value(column.name), types[column.kind]) for column in columns])
    left = rows(sessions)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(left, BATCH)):
            arrays = [
                pyarrow.array([_value(column.value(row)) for row in batch], types[column.kind])
                for column in columns
            ]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=schema))


def _value(value: Value) -> Value:
    if isinstance(value, str):  # UTF-8 can't encode half a surrogate pair
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return min(value, MAX_INT64) if type(value) is int else value
