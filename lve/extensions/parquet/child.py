"""The program of a process that decodes a Parquet file: it reads the file from stdin and writes its
rows to stdout, a batch of them per line of JSON."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from lve.child.child_side import limit_memory
from lve.extensions.parquet.values import encoded, kind_of, most_rows, plain_value

MAX_ERROR = 1000
"""Characters of an error. This process has no keys to redact, so lve itself cuts it shorter."""
MAX_ROWS = 1024
"""Maximum number of rows in a batch; fewer if the rows are large."""
MAX_MEMORY = 400_000_000
"""Memory limit for decoding, in bytes."""
MAX_BYTES = 16_000_000
"""Maximum size of a batch, and so of a single row."""
MAX_LINE_BYTES = 60_000_000
"""Maximum size of the line with a batch: of texts, control characters take most."""
MAX_TOGETHER = 4_000_000
"""Maximum size of several rows on one line."""
MAX_FAST_BYTES = 2_000_000
"""Maximum size of a batch for the fast writer."""
MAX_VALUES = 1_000_000
"""Maximum number of values (numbers, texts, ...) in a batch, and so in a single row."""


def main(batch_s: float) -> None:
    """Write the rows, and an error to stderr.

    Args:
        batch_s: time limit for reading the metadata, and for decoding each batch, in seconds.
    """
    import pyarrow
    from pyarrow import parquet

    from lve.sandbox.enter import enter
    from lve.sandbox.rights import Sandbox

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    # The other pools reserve gigabytes of addresses, which the memory limit counts.
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    enter(Sandbox())  # for files that exploit a bug in the library
    limit_memory(MAX_MEMORY)
    try:
        stdin = os.fdopen(0, "rb")
        with _deadline(batch_s):
            table = parquet.ParquetFile(stdin, pre_buffer=False)
        with table:
            _check_rows(table.metadata.num_rows, os.fstat(0).st_size)
            _write(table, batch_s)
    except MemoryError:
        sys.exit(f"its rows take more than {MAX_MEMORY // 1_000_000} MB of memory")
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        sys.exit(f"not a Parquet file: {str(error)[:MAX_ERROR]}")


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Kill the process if the block takes too long; stderr then begins with `TIMEOUT`.

    A timer in Python couldn't interrupt the library. This one also works if the parent has died.
    """
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _check_rows(count: int, size: int) -> None:
    """Exit if the file has far more rows than bytes: reading empty rows could take hours."""
    most = most_rows(size)
    if count > most:
        sys.exit(f"has {count:,} rows in {size:,} bytes; {most:,} are read at most")


def _write(table: object, batch_s: float) -> None:
    with os.fdopen(1, "wb") as stdout:
        for batch in _batches(table, batch_s):
            for part in _parts(_plain(batch)):
                for line in _lines(part):
                    stdout.write(line)
            stdout.flush()


def _lines(batch: Any) -> Iterator[bytes]:
    """Yield a batch as lines of JSON. Several rows are on a line only if they are small."""
    if batch.nbytes > MAX_TOGETHER and batch.num_rows > 1:
        half = batch.num_rows // 2
        yield from _lines(batch.slice(0, half))
        yield from _lines(batch.slice(half))
        return
    try:
        line = _line(batch)
    except (OverflowError, TypeError, ValueError) as error:  # a date beyond the year 9999, ...
        sys.exit(f"holds a value that can't be read: {str(error)[:MAX_ERROR]}")
    if len(line) > MAX_LINE_BYTES:
        sys.exit(f"a row is larger than {MAX_BYTES // 1_000_000} MB")
    yield line


def _line(batch: Any) -> bytes:
    kinds = [kind_of(column) for column in batch.columns]
    columns = [
        values if kind is None else [encoded(value, kind) for value in values]
        for values, kind in zip((c.to_pylist() for c in batch.columns), kinds, strict=True)
    ]
    content = {"names": batch.schema.names, "kinds": kinds, "columns": columns}
    if batch.nbytes <= MAX_FAST_BYTES:  # orjson reserves far more, and crashes without memory
        return orjson.dumps(content, default=plain_value, option=orjson.OPT_APPEND_NEWLINE)
    text = json.dumps(content, default=plain_value, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _batches(table: Any, batch_s: float) -> Iterator[object]:
    """Yield batches of rows that are small according to the file's metadata."""
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        bytes_per_row = max(group.total_byte_size, 1) / max(group.num_rows, 1)
        values_per_row = max(group.num_columns, 1)
        most = min(int(MAX_BYTES / bytes_per_row), MAX_VALUES // values_per_row)
        rows = max(1, min(MAX_ROWS, most))
        batches = table.iter_batches(rows, row_groups=[number], use_threads=False)
        while True:
            with _deadline(batch_s):
                batch = next(batches, None)
            if batch is None:
                break
            yield batch


def _plain(batch: Any) -> object:
    """Return a batch in which dictionary columns are decoded. Exit for unsupported types."""
    import pyarrow

    columns = [
        column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    for kind in (inner for column in columns for inner in _kinds(column.type)):
        if pyarrow.types.is_dictionary(kind):
            sys.exit("has dictionaries within lists or objects, which aren't read")
        if pyarrow.types.is_map(kind):
            sys.exit("has maps, which aren't read: save them as objects (structs)")
    return pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _kinds(kind: Any) -> Iterator[object]:
    """Yield an Arrow type and all types nested in it."""
    from pyarrow import types

    yield kind
    if types.is_struct(kind):
        inner = [kind.field(number).type for number in range(kind.num_fields)]
    else:
        inner = [kind.value_type] if hasattr(kind, "value_type") else []
    for inner_kind in inner:
        yield from _kinds(inner_kind)


def _parts(batch: Any) -> Iterator[object]:
    """Split a batch into parts within `MAX_BYTES` and `MAX_VALUES`."""
    if batch.nbytes <= MAX_BYTES and sum(map(_values, batch.columns)) <= MAX_VALUES:
        yield batch
        return
    if batch.num_rows <= 1:
        sys.exit(
            f"a row is larger than {MAX_BYTES // 1_000_000} MB or has more than {MAX_VALUES:,} "
            "values"
        )
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))


def _values(array: Any) -> int:
    """Return the number of values in an array, including those in lists and objects."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        return len(array) + sum(map(_values, array.flatten()))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return len(array) + _values(array.flatten())
    return len(array)
