"""Reads the rows of Parquet files, which a child process decodes (extra `lve[datasets]`)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lve.child_python import child_command, child_environment
from lve.data.parquet_process import TIMEOUT
from lve.errors import MissingExtraError, Problem, SpecError
from lve.files.inside import open_inside
from lve.workspace import display_path

BATCH_S = 30.0
"""Longest time to decode one batch of rows, in seconds."""


def read_parquet(file: Path, folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file, which is read batch by batch.

    Raises:
        MissingExtraError: pyarrow isn't installed.
        SpecError: it isn't a Parquet file, takes too much memory or too long.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("Parquet files need: pip install 'lve[datasets]'")
    with open_inside(folder, file) as stream:
        process = subprocess.Popen(
            child_command("lve.data.parquet_process", BATCH_S),
            stdin=stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(os.environ),
            start_new_session=True,  # so that Ctrl-C reaches only lve
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
        raise SpecError([Problem(why, display_path(file))])


def _rows(process: subprocess.Popen[bytes]) -> Iterator[Mapping[str, Any]]:
    from pyarrow import ArrowException, ipc, system_memory_pool

    assert process.stdout is not None
    try:
        # The other pools reserve gigabytes of addresses, which a memory limit may count.
        for batch in ipc.open_stream(process.stdout, memory_pool=system_memory_pool()):
            yield from batch.to_pylist()
    except MemoryError:  # pyarrow's is an ArrowException too
        raise
    except ArrowException:  # the process ended early; stderr has the reason
        process.stdout.close()  # if it still runs, this ends it


def _why_failed(process: subprocess.Popen[bytes]) -> str | None:
    """Return why the process failed; None if it succeeded."""
    assert process.stderr is not None
    said = process.stderr.read().decode("utf-8", "replace").strip()
    code = process.wait()
    if code == 0:
        return None
    if code == 1 and said.startswith(TIMEOUT):
        return f"decoding a few of its rows takes more than {BATCH_S:g} s"
    if code == 1 and said and "\n" not in said:
        return said
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"not a Parquet file, or too large: reading it ended with {how}"
