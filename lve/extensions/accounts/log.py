"""The file of `--trace`: a line per step, with the seconds since the start. It has no keys."""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import IO

from lve.cli.printing import warn
from lve.errors import UsageError, with_code
from lve.escape import escape_line, excerpt
from lve.files.inside import reason_of
from lve.version import __version__

MAX_LINE = 2000
"""Characters of a line."""


class TraceLog:
    """Writes a log. Only its owner can read it, because it quotes prompts and answers."""

    def __init__(self, name: str, file: IO[str]) -> None:
        """Args:
        name: of the file, for messages.
        file: an open file.
        """
        self._name = name
        self._stream: IO[str] | None = file
        self._started = time.monotonic()

    @classmethod
    def opened(cls, name: str) -> TraceLog:
        """Return a log in a new file, or in place of what a file had.

        Raises:
            UsageError: it can't be written.
        """
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            descriptor = os.open(name, flags, 0o600)
            file = open(descriptor, "w", encoding="utf-8", buffering=1)  # noqa: PTH123, SIM115
        except (OSError, ValueError) as error:
            why = reason_of(error) if isinstance(error, OSError) else str(error)
            raise UsageError(
                f"{excerpt(repr(name))} can't be written: {why}", code="unwritable"
            ) from error
        log = cls(name, file)
        log.title(f"lve {__version__}, {time.strftime('%Y-%m-%d %H:%M:%S')}")
        return log

    def __enter__(self) -> TraceLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.step("lve", f"ended: {kind.__name__ if kind else ''}: {error}")
        if self._stream is not None:
            self._stream.close()

    def title(self, text: str) -> None:
        """Write the first line of a part."""
        self._write(f"# {text}")

    def fact(self, text: str) -> None:
        """Write a line of a part."""
        self._write(f"  {text}")

    def step(self, who: str, what: str) -> None:
        """Write what happens now.

        Args:
            who: a model, a test, or `lve`.
            what: it does, and why.
        """
        self._write(f"{time.monotonic() - self._started:9.3f} s  {who}: {what}")

    def _write(self, line: str) -> None:
        """Write a line without keys. If that fails, say so once; the run goes on."""
        if self._stream is None:
            return
        try:
            self._stream.write(f"{excerpt(escape_line(line), MAX_LINE)}\n")
        except OSError as error:
            self._stream = None
            warn(
                with_code(
                    f"{self._name} can't be written any more: {reason_of(error)}", "unwritable"
                )
            )
