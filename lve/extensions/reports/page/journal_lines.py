"""The lines of a journal that may still grow, several at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import BinaryIO

from lve.data_classes import dataclass
from lve.sessions.journal.journal import bounded_lines
from lve.sessions.journal.reading import OpenedJournal

BLOCK_BYTES = 1_000_000
"""Bytes that are read at once."""


@dataclass(slots=True)
class ReadJournal:
    """A journal, which stays open, and how far it was read."""

    opened: OpenedJournal
    end: int = 0
    """Offset of the next line."""
    lines: int = 0

    def new_lines(self) -> Iterator[tuple[int, Sequence[int], list[bytes]]]:
        """Yield the lines that are new and have an end, without it: the number of the first, from
        0, the offsets of all, and the lines. One that is too long is empty.

        Raises:
            OSError: they can't be read.
        """
        file = self.opened.file
        while True:
            file.seek(self.end)
            block = file.read(BLOCK_BYTES)
            if size := block.rfind(b"\n") + 1:
                lines = block[: size - 1].split(b"\n")
            else:  # a long line, or one that is still being written
                line = next(lines_from(file, self.end), b"")
                if not line.endswith(b"\n"):
                    return
                lines, size = [line[:-1]], file.tell() - self.end
            first, starts = self.lines, [*accumulate(map(_size, lines), initial=self.end)]
            self.lines += len(lines)
            self.end += size
            yield first, starts, lines


def lines_from(file: BinaryIO, start: int) -> Iterator[bytes]:
    """Yield the lines of a journal from an offset on."""
    file.seek(start)
    return bounded_lines(file)


def _size(line: bytes) -> int:
    return len(line) + 1
