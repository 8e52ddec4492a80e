"""Reads the rows of Parquet files (extra `lve[datasets]`).

A few kilobytes of Parquet can decode to terabytes, or crash the library. So a sandboxed child
process with limited memory and time decodes them (`main`).
"""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lve.child.child_command import child_command, child_environment
from lve.child.child_side import limit_memory
from lve.errors import MissingExtraError, Problem, SpecError
from lve.files.inside import open_inside
from lve.workspace import display_path

BATCH_S = 30.0
"""Time limit for decoding one batch of rows, in seconds."""
MAX_ROWS = 1024
"""Maximum number of rows in a batch; fewer if the rows are large."""
MAX_MEMORY = 400_000_000
"""Memory limit for decoding, in bytes."""
TIMEOUT = "Timeout ("
"""Start of the message that faulthandler prints when the time is over."""
MAX_BYTES = 16_000_000
"""Maximum size of a batch that the child process sends, and so of a single row."""
MAX_VALUES = 1_000_000
"""Maximum number of values (numbers, texts, ...) in such a batch, and so in a single row."""
FEW_ROWS = 10_000_000
"""Any file may have this many rows."""
ROWS_PER_BYTE = 10
"""Further rows allowed per byte of the file: a few kilobytes can hold a billion empty rows."""


def read_parquet(file: Path, folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file. It is read batch by batch.

    Args:
        file: the file.
        folder: the test folder; the file must be in it.

    Raises:
        MissingExtraError: pyarrow isn't installed.
        SpecError: the file isn't a Parquet file, or decoding takes too much memory or time.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("Parquet files need: pip install 'lve[datasets]'")
    with open_inside(folder, file) as stream:
        process = subprocess.Popen(
            child_command("lve.data.parquet", BATCH_S),
            stdin=stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(os.environ),
            start_new_session=True,  # so that Ctrl-C reaches only the parent
        )
    try:
        yield from _rows(process)
        why = _why_failed(process)
    except MemoryError:
        why = "its rows take more memory than there is"
    except (OverflowError, ValueError) as error:  # a date beyond the year 9999, ...
        why = f"holds a value that can't be read: {error}"
    finally:
        process.kill()
        process.communicate()
    if why is not None:
        raise SpecError([Problem(why, display_path(file), code="unreadable")])


def _rows(process: subprocess.Popen[bytes]) -> Iterator[Mapping[str, Any]]:
    from pyarrow import ArrowException, ipc, system_memory_pool

    assert process.stdout is not None
    try:
        # The other pools reserve gigabytes of addresses, which a memory limit may count.
        for batch in ipc.open_stream(process.stdout, memory_pool=system_memory_pool()):
            yield from batch.to_pylist()
    except MemoryError:  # pyarrow's is an ArrowException too
        raise
    except ArrowException:  # the process exited early; stderr has the reason
        process.stdout.close()  # if it still runs, this makes it exit


def _why_failed(process: subprocess.Popen[bytes]) -> str | None:
    """Return why the process failed; None if it succeeded."""
    assert process.stderr is not None
    message = process.stderr.read().decode("utf-8", "replace").strip()
    code = process.wait()
    if code == 0:
        return None
    if code == 1 and message.startswith(TIMEOUT):
        return f"decoding a few of its rows takes more than {BATCH_S:g} s"
    if code == 1 and message and "\n" not in message:
        return message
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"not a Parquet file, or too large: reading it ended with {how}"


def main(batch_s: float) -> None:
    """Run the child process: read a Parquet file from stdin, write its rows to stdout as an Arrow
    stream, and errors to stderr.

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
        sys.exit(f"not a Parquet file: {str(error)[:300]}")


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
    most = FEW_ROWS + ROWS_PER_BYTE * size
    if count > most:
        sys.exit(f"has {count:,} rows in {size:,} bytes; {most:,} are read at most")


def _write(table: Any, batch_s: float) -> None:
    import pyarrow

    with os.fdopen(1, "wb") as stdout:
        writer = None
        for batch in _batches(table, batch_s):
            plain = _plain(batch)
            writer = writer or pyarrow.ipc.new_stream(stdout, plain.schema)
            for part in _parts(plain):
                writer.write_batch(part)
        (writer or pyarrow.ipc.new_stream(stdout, table.schema_arrow)).close()


def _batches(table: Any, batch_s: float) -> Iterator[Any]:
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


def _plain(batch: Any) -> Any:
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


def _kinds(kind: Any) -> Iterator[Any]:
    """Yield an Arrow type and all types nested in it."""
    from pyarrow import types

    yield kind
    if types.is_struct(kind):
        inner = [kind.field(number).type for number in range(kind.num_fields)]
    else:
        inner = [kind.value_type] if hasattr(kind, "value_type") else []
    for one in inner:
        yield from _kinds(one)


def _parts(batch: Any) -> Iterator[Any]:
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
