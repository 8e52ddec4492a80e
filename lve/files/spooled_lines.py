"""Lines that wait in a temporary file until they are needed, so that memory doesn't grow with
them."""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import IO

BLOCK_BYTES = 1 << 18
"""Bytes that are written at once. Fewer need no file."""


class SpooledLines:
    """Texts by number, most of them in a temporary file without a name.

    If the file can't be made or written, they stay in memory: a full disk must not cost results.
    """

    def __init__(self) -> None:
        self._starts = array("Q", [0])
        """Where each text begins, and where the next one will."""
        self._block = bytearray()
        """What is not in the file."""
        self._in_file = 0
        self._file: IO[bytes] | None = None
        self._is_full = False

    def add(self, text: str) -> int:
        """Keep a text and return its number, from 0."""
        self._block += text.encode("utf-8", "surrogatepass")
        self._starts.append(self._in_file + len(self._block))
        if len(self._block) >= BLOCK_BYTES and not self._is_full:
            self._write()
        return len(self._starts) - 2

    def line(self, number: int) -> str:
        """Return the text with a number.

        Raises:
            OSError: the file can't be read any more.
        """
        start, end = self._starts[number], self._starts[number + 1]
        if self._file is None or start >= self._in_file:
            content = bytes(self._block[start - self._in_file : end - self._in_file])
        else:
            self._file.seek(start)
            content = self._file.read(end - start)
        return content.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def __del__(self) -> None:
        self.close()

    def _write(self) -> None:
        """Move the block to the file; it stays if there is no room, and so do all further ones."""
        try:
            if self._file is None:
                from tempfile import TemporaryFile  # late: most sessions have few results

                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (closed by `close`)
            self._file.seek(self._in_file)
            left = memoryview(self._block)
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._is_full = True
            return
        self._in_file += len(self._block)
        self._block = bytearray()
