"""Sends a request to a child process and reads its answer, which may be hostile.

What runs in a child process may write anything into its pipe: without end, without a line end, or
a few megabytes of JSON that take gigabytes when they are parsed. So the time and the size of an
answer are limited while it is read, and the number and the depth of its values before it is parsed.
All answers of child processes are read here.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from typing import Any

from lve.documents.json_text import decode_written
from lve.json_types import JsonValue
from lve.named_tuples import NamedTuple

ESCAPE_BYTES = 12
"""The most bytes of a character in the JSON of an answer: two escapes of a surrogate pair."""
BLOCK_BYTES = 65_536
SHORT_BYTES = 4096
"""What is read first: the whole of nearly all answers. Reserving more takes longer."""
MAX_FAST_BYTES = 4_000_000
END_S = 2.0
"""Seconds after the deadline in which the process should have been ended. Later its pipe isn't
read any more: something that has left the process group may keep it open."""
_NO_MARKS = bytes(set(range(256)) - set(b",[{"))
_NO_MARKS_NOR_QUOTES = bytes(set(range(256)) - set(b',[{]}"'))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
NO_JSON = "gave an answer that can't be read: no valid JSON"


class AnswerLimits(NamedTuple):
    """How large an answer may be."""

    max_bytes: int
    """The most bytes of its line."""
    values: int = 1000
    """The most values in it: lists, objects, and what is in them."""
    levels: int = 20
    """The most levels of lists and objects."""


SHORT = AnswerLimits(1_000_000)
"""Limits of a verdict, and of other short answers."""
LONG = AnswerLimits(16_000_000)
"""Limits of a tool's result."""


class UnreadableAnswerError(ValueError):
    """An answer isn't used; the message says why, and follows the name of what gave it."""


def limits_for_text(text_length: int, limits: AnswerLimits = SHORT) -> AnswerLimits:
    """Return the limits of an answer that is a text again.

    Args:
        text_length: characters of the text that the process got.
        limits: what the answer may have beyond that.
    """
    return limits._replace(max_bytes=limits.max_bytes + ESCAPE_BYTES * text_length)


def exchange(to: int, back: int, request: bytes, *, limits: AnswerLimits, deadline: float) -> bytes:
    """Write a request, and return the line that answers it. If the process ends, or the deadline
    has passed for more than `END_S`, return what has been read.

    Args:
        to: the pipe to the process, which must not block if the system has `poll`.
        back: the pipe from the process.
        request: the line of the request.
        limits: how large the answer may be.
        deadline: the time by the monotonic clock at which the process is ended.

    Raises:
        UnreadableAnswerError: the line is too long, or not the only one.
    """
    last = deadline + END_S
    try:
        _write(to, request, last)
        return _read(back, limits.max_bytes, last)
    except OSError:  # the process has ended
        return b""


def _write(to: int, request: bytes, last: float) -> None:
    rest = memoryview(request)
    while rest:
        try:
            rest = rest[os.write(to, rest[:BLOCK_BYTES]) :]
        except BlockingIOError:
            if not _is_ready(to, writing=True, last=last):
                return


def _read(back: int, max_bytes: int, last: float) -> bytes:
    blocks: list[bytes] = []
    length, size = 0, SHORT_BYTES
    while _is_ready(back, writing=False, last=last):
        block = os.read(back, size)
        end = block.find(b"\n")
        blocks.append(block)
        length, size = length + len(block), BLOCK_BYTES
        if end >= 0 and end < len(block) - 1:
            raise UnreadableAnswerError("gave several answers to one request")
        if length > max_bytes:
            raise too_long(max_bytes)
        if end >= 0 or not block:
            break
    return b"".join(blocks)


def _is_ready(pipe: int, *, writing: bool, last: float) -> bool:
    """Wait until a pipe can be used, and return whether that is so before `last`."""
    if not hasattr(select, "poll"):  # Windows can only wait by reading
        return True
    waiting = select.poll()
    waiting.register(pipe, select.POLLOUT if writing else select.POLLIN)
    return bool(waiting.poll(max(0.0, last - time.monotonic()) * 1000))


def answer_lines(back: int, *, limits: AnswerLimits, each_s: float) -> Iterator[bytes]:
    """Yield the lines of a process that answers without being asked, until it ends.

    Args:
        back: the pipe from the process.
        limits: how large a line may be.
        each_s: seconds to wait for a line.

    Raises:
        UnreadableAnswerError: a line is too long, takes too long, or has no end.
    """
    lines = BoundedLines(limits.max_bytes)
    last = time.monotonic() + each_s
    while _is_ready(back, writing=False, last=last):
        block = os.read(back, 16 * BLOCK_BYTES)
        if not block:
            lines.end()
            return
        for line in lines.feed(block):
            yield line
            last = time.monotonic() + each_s
    raise UnreadableAnswerError(f"gave nothing for {each_s:g} s")


def read_until_end(pipe: int, *, max_bytes: int, seconds: float) -> bytes:
    """Return what a process writes to a pipe, up to its end, a size or a time."""
    content, last = b"", time.monotonic() + seconds
    while len(content) < max_bytes and _is_ready(pipe, writing=False, last=last):
        block = os.read(pipe, max_bytes - len(content))
        if not block:
            break
        content += block
    return content


class BoundedLines:
    """Splits what arrives in blocks into lines of limited length."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._blocks: list[bytes] = []
        self._length = 0

    def feed(self, block: bytes) -> Iterator[bytes]:
        """Yield the lines that end in a block, with their line ends.

        Raises:
            UnreadableAnswerError: a line is too long.
        """
        *ended, rest = block.split(b"\n")
        for part in ended:
            self._add(part + b"\n")
            line = b"".join(self._blocks)
            self._blocks, self._length = [], 0
            yield line
        if rest:
            self._add(rest)

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._max_bytes:
            raise too_long(self._max_bytes)
        self._blocks.append(part)

    def end(self) -> None:
        """Check that the last line has ended.

        Raises:
            UnreadableAnswerError: it hasn't.
        """
        if self._blocks:
            raise UnreadableAnswerError("gave an answer without an end")


def parse_answer(line: bytes, limits: AnswerLimits) -> dict[str, Any]:
    """Return the object in the line of an answer.

    Raises:
        UnreadableAnswerError: it exceeds the limits, isn't JSON, or no object. NaN, infinity,
            numbers of more than 4,300 digits and keys that occur twice aren't JSON here.
    """
    return _parsed(line, limits, lambda text: decode_written(text.decode("utf-8")))


def parse_batch(line: bytes, limits: AnswerLimits) -> dict[str, JsonValue]:
    """Do what `parse_answer` does in a quarter of the time, for lines with many values. Of keys
    that occur twice, the last one may count; whole numbers have 64 bits.

    Raises:
        UnreadableAnswerError: as for `parse_answer`, or a text has half a surrogate pair.
    """
    if len(line) > MAX_FAST_BYTES:  # orjson ends the process where there is no memory
        return parse_answer(line, limits)
    import orjson  # late: most processes give few and short answers

    return _parsed(line, limits, orjson.loads)


def _parsed(line: bytes, limits: AnswerLimits, parse: Callable[[bytes], object]) -> dict[str, Any]:
    if not line.endswith(b"\n"):
        raise UnreadableAnswerError("gave an answer without an end")
    if len(line) > limits.max_bytes:
        raise too_long(limits.max_bytes)
    check_structure(line, limits)
    try:
        value = parse(line)
    except ValueError:  # its message may quote the answer
        raise UnreadableAnswerError(NO_JSON) from None
    if not isinstance(value, dict):
        raise UnreadableAnswerError("gave an answer that can't be read: no JSON object")
    return value


def check_structure(text: bytes, limits: AnswerLimits) -> None:
    """Count the values of a JSON text without parsing it.

    Raises:
        UnreadableAnswerError: there are too many, or they are nested too deeply.
    """
    # Each value is the first one, or follows one of these marks. Nearly always there are few, even
    # if those inside texts are counted.
    marks = text.translate(None, _NO_MARKS)
    if len(marks) < limits.values and len(marks) - marks.count(b",") <= limits.levels:
        return
    marks = _marks_outside_texts(text, 4 * limits.values)
    if 1 + marks.count(b",") + marks.count(b"[") > limits.values:
        raise UnreadableAnswerError(_too_many(limits))
    _check_depth(marks.replace(b",", b""), limits.levels)


def _marks_outside_texts(text: bytes, max_quotes: int) -> bytes:
    """Return the commas and brackets of a JSON text that aren't inside strings. Braces become
    brackets: the parser stops where they don't match."""
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    text = text.translate(_ONE_KIND, _NO_MARKS_NOR_QUOTES)
    if text.count(b'"') > max_quotes:  # each value may have a key, and be a text itself
        raise UnreadableAnswerError(f"gave an answer of more than {max_quotes // 4:,} values")
    return b"".join(text.split(b'"')[::2])


def _check_depth(brackets: bytes, levels: int) -> None:
    """Remove the innermost pairs of brackets once per level. A loop over the brackets would take
    ten times as long.

    Raises:
        UnreadableAnswerError: there are more levels, or a bracket has no partner.
    """
    for _ in range(levels):
        inner = brackets.replace(b"[]", b"")
        if len(inner) == len(brackets):
            break
        brackets = inner
    if b"[]" in brackets:
        raise UnreadableAnswerError(f"gave an answer that is nested more than {levels} levels deep")
    if brackets:
        raise UnreadableAnswerError(NO_JSON)


def _too_many(limits: AnswerLimits) -> str:
    return f"gave an answer of more than {limits.values:,} values"


def too_long(max_bytes: int) -> UnreadableAnswerError:
    """Return the error for an answer of more than `max_bytes`."""
    size = f"{max_bytes // 1_000_000} MB" if max_bytes >= 1_000_000 else f"{max_bytes:,} bytes"
    return UnreadableAnswerError(f"gave an answer of more than {size}")
