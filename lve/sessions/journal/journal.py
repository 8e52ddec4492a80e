"""The journal of a session, `results.jsonl`: a line per instance and repeat, appended as it ends.

A line is written to the kernel before `append` returns, so it survives `kill -9`, and a thread
fsyncs at least once a second (`execution/durability.py`). Results of answers that came together are
written together (`hold`). Only results whose completions are all in the cache may wait longer,
because getting them again costs nothing.

An incomplete last line (power failure, full disk) is cut off when the file is opened again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from lve.documents.json_lines import fast_written_value, file_json, json_line
from lve.documents.json_text import decode_written
from lve.documents.validation.schema import explain_value, quick_verdict
from lve.error_boundary import unexpected
from lve.errors import SessionError, UnexpectedError
from lve.execution.durability import PeriodicSync
from lve.files.owner_only import open_private
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.result_info import ordinary_line
from lve.sessions.journal.result_json import (
    is_surely_readable,
    line_writer,
    result_from_json,
    result_line,
    result_to_json,
)
from lve.sessions.session_file import cannot_write, lock_file

BUFFER_BYTES = 64 * 1024
BLOCK_BYTES = 64 * 1024
MAX_LINE_BYTES = 256_000_000
"""Length of a line: a hundred answers of a megabyte, as messages and as responses."""
MAX_DAMAGE_BYTES = 2 * MAX_LINE_BYTES
"""Bytes without a line end that are skipped. A broken disk or a forged archive may have a terabyte
of zeros."""


class Journal:
    """An open `results.jsonl`."""

    def __init__(self, path: Path) -> None:
        """Open the file for appending; create it if necessary.

        Args:
            path: of `results.jsonl`.

        Raises:
            SessionError: it can't be written, or another process is writing it.
        """
        self.path = path
        self._redact = lasting_redactor()
        self._buffer: list[str] = []
        self._buffered = 0
        self._is_held = False
        self._broken: str | None = None
        self._is_closed = False
        try:
            self._handle = open_private(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise cannot_write(path, error) from error
        try:
            lock_file(self._handle, path)
            self._end = _cut_torn_line(self._handle)
        except OSError as error:
            os.close(self._handle)
            raise cannot_write(path, error) from error
        except BaseException:
            os.close(self._handle)
            raise
        self._sync = PeriodicSync(lambda: os.fsync(self._handle), name="lve-journal-sync")

    def append(
        self, result: InstanceResult, judged_by: Callable[[], str] | None = None
    ) -> InstanceResult:
        """Write a result and return what was written: an error result if it can't be serialized.

        After this call even `kill -9` doesn't lose a completion that was paid for, unless lines are
        held back (`hold`).

        Args:
            result: of an instance.
            judged_by: returns the sum of the checkers that judged the result. It is called if
                redaction changes the args.

        Raises:
            SessionError: the disk is full or broken. All lines before are intact.
        """
        try:
            ordinary = ordinary_line(result)
            is_readable = ordinary is not None or is_surely_readable(result)
            whole = ordinary or result_line(result, is_plain=is_readable)
            line = self._redact(whole) if self._redact.has_secrets else whole
            is_redacted = line != whole
            if is_redacted:
                if judged_by is not None and self._hides_args(result):
                    result = replace(result, judged_by=judged_by())
                line = _keyless_line(result)
            if is_redacted or not is_readable:
                _check_readable(line)
        except Exception as error:  # A bug must not keep other results from being written.
            result, line = self._error_line(result, unexpected(error, "writing the result"))
        self._buffer += (line, "\n")
        self._buffered += len(line) + 1
        if not (result.cached or self._is_held) or self._buffered >= BUFFER_BYTES:
            self.flush()
        return result

    def hold(self, is_held: bool) -> None:
        """Hold the lines of results back that are appended together, or write them; errors as
        `append`. Nothing else may be done meanwhile: `kill -9` would lose them."""
        self._is_held = is_held
        if not is_held:
            self.flush()

    def _error_line(
        self, result: InstanceResult, error: UnexpectedError
    ) -> tuple[InstanceResult, str]:
        """Return an error result and its line, with what the answers took, if that can be
        written."""
        result = result.without_verdict(error)
        with suppress(Exception):
            line = _keyless_line(result)
            _check_readable(line)
            return result, line
        result = result.without_amounts()
        return result, _keyless_line(result)

    def _hides_args(self, result: InstanceResult) -> bool:
        """Whether redaction changes the args of an unredacted result: its checkers may use them."""
        if result.judged_by is not None or not result.transcripts:
            return False
        args = json_line(dict(result.args))
        return self._redact(args) != args

    def flush(self) -> None:
        """Write the buffer to the file.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self._broken or self._sync.error:
            raise self._failure(self._broken or str(self._sync.error))
        if not self._buffer:
            return
        data = "".join(self._buffer).encode("ascii", "replace")
        self._buffer.clear()
        self._buffered = 0
        try:
            _write_all(self._handle, data)
        except OSError as error:
            self._broken = error.strerror or str(error)
            os.ftruncate(self._handle, self._end)  # Leave no incomplete line.
            raise self._failure(self._broken) from error
        self._end += len(data)
        self._sync.mark_dirty()

    def finish(self) -> None:
        """Write and fsync the buffer. The file stays locked until `close`.

        Raises:
            SessionError: the disk is full or broken.
        """
        try:
            if not self._broken:
                self.flush()
        finally:
            self._sync.close()
        if self._sync.error and not self._broken:
            raise self._failure(str(self._sync.error))

    def close(self) -> None:
        """Call `finish` and close the file; a second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self.finish()
        finally:
            os.close(self._handle)

    def _failure(self, why: str) -> SessionError:
        return SessionError(
            f"{self.path} can't be written: {why}. Make room on the disk and go on with "
            f"`lve run --resume {self.path.parent.name}`; what was written before is intact",
            code="session_unwritable",
        )


def _keyless_line(result: InstanceResult) -> str:
    """Return the line of a result without secrets."""
    return file_json(result_to_json(result), line_writer(result))


def bounded_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a journal, with an empty line instead of one that is too long.

    Raises:
        OSError: there is no line end within MAX_DAMAGE_BYTES.
    """
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) < MAX_LINE_BYTES:
            yield line
            continue
        passed = len(line)
        while line and not line.endswith(b"\n"):
            if passed >= MAX_DAMAGE_BYTES:
                raise _no_line_end()
            line = file.readline(MAX_LINE_BYTES)
            passed += len(line)
        yield b"\n"


def _no_line_end() -> OSError:
    size = f"{MAX_DAMAGE_BYTES // 1_000_000} MB"
    return OSError(errno.EFBIG, f"{size} in it have no end of line: start a new session")


def _check_readable(line: str) -> None:
    """Check that a reader accepts a line.

    Raises:
        ValueError: it doesn't.
    """
    if result_of_line(line.encode("ascii")) is None:
        wrong = explain_value(decode_written(line), "result") or ["a value of the model's answer"]
        raise ValueError(f"it couldn't be read again ({wrong[0]})")


def result_of_line(line: bytes) -> InstanceResult | None:
    """Return the result in a line; None if the line doesn't follow the schema."""
    try:
        data = fast_written_value(line.removesuffix(b"\n"))
        fits = quick_verdict(data, "result")
        if fits is None:
            fits = not explain_value(data, "result")
        if fits:
            return result_from_json(data)
    except (ValueError, KeyError, TypeError, IndexError):
        pass
    return None


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _cut_torn_line(handle: int) -> int:
    """Seek to the end of the last complete line, cut off what follows, and return the position."""
    end = os.lseek(handle, 0, os.SEEK_END)
    position = end
    while position > 0:
        if end - position > MAX_DAMAGE_BYTES:
            raise _no_line_end()
        start = max(0, position - BLOCK_BYTES)
        os.lseek(handle, start, os.SEEK_SET)
        newline = os.read(handle, position - start).rfind(b"\n")
        if newline >= 0:
            position = start + newline + 1
            break
        position = start
    if position < end:
        os.ftruncate(handle, position)
    os.lseek(handle, position, os.SEEK_SET)
    return position
