"""Reads the rows of Parquet files (extra `lve[datasets]`).

A few kilobytes of Parquet can decode to terabytes, or crash the library. So a sandboxed child
process with limited memory and time decodes them (`lve.extensions.parquet.child`). What it sends is
limited, too: a file may have taken it over.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lve.child.answers import (
    AnswerLimits,
    UnreadableAnswerError,
    answer_lines,
    parse_batch,
    read_until_end,
)
from lve.child.child_command import child_command, child_environment
from lve.errors import MissingExtraError, Problem, SpecError
from lve.escape import excerpt
from lve.extensions.parquet.values import decoded, most_rows
from lve.files.inside import open_inside
from lve.json_types import JsonObject
from lve.workspace import display_path

BATCH_S = 30.0
"""Time limit for decoding one batch of rows, in seconds."""
START_S = 120.0
"""Time limit for each answer of the process, in seconds. It ends by itself earlier."""
TIMEOUT = "Timeout ("
"""Start of the message that faulthandler prints when the time is over."""
BATCH = AnswerLimits(64_000_000, values=2_000_000, levels=120)
"""Limits of a batch. The process sends at most 60 MB and a million values in lists of columns."""
MAX_MESSAGE = 10_000
"""Bytes of the process's error messages that are read."""
SHOWN_MESSAGE = 500
END_S = 10.0
"""Seconds in which the process must end after its last answer."""


def read_parquet(file: Path, folder: Path) -> Iterator[JsonObject]:
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
        most = most_rows(os.fstat(stream.fileno()).st_size)
        process = subprocess.Popen(
            child_command("lve.extensions.parquet.child", BATCH_S),
            stdin=stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(os.environ),
            start_new_session=True,  # so that Ctrl-C reaches only the parent
        )
    try:
        yield from _rows(process, most)
        why = _why_failed(process)
    except MemoryError:
        why = "its rows take more memory than there is"
    except UnreadableAnswerError as error:
        why = f"can't be read: the process that decodes it {error}"
    finally:
        _end(process)
    if why is not None:
        raise SpecError([Problem(why, display_path(file), code="unreadable")])


def _rows(process: subprocess.Popen[bytes], most: int) -> Iterator[Mapping[str, Any]]:
    """Yield the rows in the answers of the process.

    Raises:
        UnreadableAnswerError: an answer is no batch of rows, or there are more rows than a file of
            this size may have.
    """
    assert process.stdout is not None
    count = 0
    for line in answer_lines(process.stdout.fileno(), limits=BATCH, each_s=START_S):
        batch = parse_batch(line, BATCH)
        try:
            names, rows = _decoded(batch)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise UnreadableAnswerError("gave no rows") from error
        count += len(rows)
        if count > most:
            raise UnreadableAnswerError(f"gave more than {most:,} rows")
        for values in rows:
            yield dict(zip(names, values, strict=False))


def _decoded(batch: Mapping[str, Any]) -> tuple[list[str], list[tuple[object, ...]]]:
    """Return the names of the columns, and the values of each row.

    Raises:
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError: it is no batch of rows.
    """
    names = [str(name) for name in batch["names"]]
    columns = [
        values if kind is None else [decoded(value, kind) for value in values]
        for values, kind in zip(batch["columns"], batch["kinds"], strict=True)
    ]
    if not columns:  # nothing says how many rows there are
        return [], []
    rows = list(zip(*columns, strict=True))
    if len(names) != len(columns):
        raise ValueError
    return names, rows


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it may have started, and close its pipes."""
    if os.name == "posix" and process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _why_failed(process: subprocess.Popen[bytes]) -> str | None:
    """Return why the process failed; None if it succeeded."""
    assert process.stderr is not None
    output = read_until_end(process.stderr.fileno(), max_bytes=MAX_MESSAGE, seconds=END_S)
    message = output.decode("utf-8", "replace").strip()
    try:
        code = process.wait(END_S)
    except subprocess.TimeoutExpired:
        raise UnreadableAnswerError("didn't end") from None
    if code == 0:
        return None
    if code == 1 and message.startswith(TIMEOUT):
        return f"decoding a few of its rows takes more than {BATCH_S:g} s"
    if code == 1 and message and "\n" not in message:
        return excerpt(message, SHOWN_MESSAGE)
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"not a Parquet file, or too large: reading it ended with {how}"
