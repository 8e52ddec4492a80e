"""Lines that wait in a temporary file: none is lost, with room on the disk or without."""

from __future__ import annotations

import tempfile
import tracemalloc
from typing import IO, Any

import pytest

from lve.reporting import json_reporters
from lve.reporting.json_reporters import BLOCK_BYTES, SpooledLines

TEXTS = ["", "a", "Grüße \U0001f600", "\ud800 alone", "x" * (BLOCK_BYTES // 3)]


def line(number: int) -> str:
    return f"{number} {TEXTS[number % len(TEXTS)]}"


def filled(count: int) -> SpooledLines:
    lines = SpooledLines()
    assert [lines.add(line(number)) for number in range(count)] == list(range(count))
    return lines


def test_lines_come_back_in_any_order_and_more_can_be_added_after_that() -> None:
    lines = filled(40)
    for number in (39, 0, 21, 4, 3, 38, 21):
        assert lines.line(number) == line(number)
    assert lines.add("one more") == 40
    assert [lines.line(number) for number in (40, 39, 5)] == ["one more", line(39), line(5)]
    lines.close()


def test_few_lines_need_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    lines = filled(4)
    assert [lines.line(number) for number in range(4)] == [line(number) for number in range(4)]
    lines.close()


class FullFile:
    """A file that takes half of what it gets, until it is full."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self.file, self.room = file, room
        self.seek, self.read, self.close = file.seek, file.read, file.close

    def write(self, content: memoryview) -> int:
        size = min(len(content) // 2 + 1, self.room)
        if not size:
            raise OSError(28, "No space left on device")
        self.room -= size
        return self.file.write(content[:size])


@pytest.mark.parametrize("room", [0, 1, BLOCK_BYTES // 2, 2 * BLOCK_BYTES, 100 * BLOCK_BYTES])
def test_a_full_disk_costs_no_line(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.TemporaryFile

    def full_file(**options: Any) -> FullFile:
        return FullFile(make(**options), room)

    monkeypatch.setattr(tempfile, "TemporaryFile", full_file)
    lines = filled(40)
    assert [lines.line(number) for number in range(40)] == [line(number) for number in range(40)]
    lines.close()


def test_memory_does_not_grow_with_the_lines() -> None:
    def grown_by(count: int) -> int:
        lines = SpooledLines()
        tracemalloc.start()
        for _ in range(count):
            lines.add("x" * 1000)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        lines.close()
        return size

    few, many = grown_by(2_000), grown_by(10_000)
    assert many - few < 8_000 * 20
    assert few > json_reporters.BLOCK_BYTES
