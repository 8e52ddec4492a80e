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
from typing import Any, NamedTuple

from lve.documents.json_text import decode_written

ESCAPE_BYTES = 12
"""The most bytes of a character in the JSON of an answer: two escapes of a surrogate pair."""
BLOCK_BYTES = 65_536
END_S = 2.0
"""Seconds after the deadline in which the process should have been ended. Later its pipe isn't
read any more: something that has left the process group may keep it open."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


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
    line = bytearray()
    while _is_ready(back, writing=False, last=last):
        block = os.read(back, BLOCK_BYTES)
        end = block.find(b"\n")
        line += block
        if end >= 0 and end < len(block) - 1:
            raise UnreadableAnswerError("gave several answers to one request")
        if len(line) > max_bytes:
            raise UnreadableAnswerError(f"gave an answer of more than {_size(max_bytes)}")
        if end >= 0 or not block:
            break
    return bytes(line)


def _is_ready(pipe: int, *, writing: bool, last: float) -> bool:
    """Wait until a pipe can be used, and return whether that is so before `last`."""
    if not hasattr(select, "poll"):  # Windows can only wait by reading
        return True
    waiting = select.poll()
    waiting.register(pipe, select.POLLOUT if writing else select.POLLIN)
    return bool(waiting.poll(max(0.0, last - time.monotonic()) * 1000))


def parse_answer(line: bytes, limits: AnswerLimits) -> dict[str, Any]:
    """Return the object in the line of an answer.

    Raises:
        UnreadableAnswerError: it exceeds the limits, isn't JSON, or no object. NaN, infinity,
            numbers of more than 4,300 digits and keys that occur twice aren't JSON here.
    """
    if not line.endswith(b"\n"):
        raise UnreadableAnswerError("gave an answer without an end")
    if len(line) > limits.max_bytes:
        raise UnreadableAnswerError(f"gave an answer of more than {_size(limits.max_bytes)}")
    check_structure(line, limits)
    try:
        value = decode_written(line.decode("utf-8"))
    except ValueError:  # its message may quote the answer
        raise UnreadableAnswerError("gave an answer that can't be read: no valid JSON") from None
    if not isinstance(value, dict):
        raise UnreadableAnswerError("gave an answer that can't be read: no JSON object")
    return value


def check_structure(text: bytes, limits: AnswerLimits) -> None:
    """Count the values of a JSON text without parsing it.

    Raises:
        UnreadableAnswerError: there are too many, or they are nested too deeply.
    """
    if _marks(text) <= limits.values and _opened(text) <= limits.levels:
        return  # nearly always, even if the marks in its texts are counted
    quotes_of_texts = 4 * limits.values  # each value may have a key, and be a text itself
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > quotes_of_texts:
        raise UnreadableAnswerError(_too_many(limits))
    outside = b"".join(bare.split(b'"')[::2])
    if _marks(outside) > limits.values:
        raise UnreadableAnswerError(_too_many(limits))
    if _opened(outside) > limits.levels and _depth(outside) > limits.levels:
        raise UnreadableAnswerError(
            f"gave an answer that is nested more than {limits.levels} levels deep"
        )


def _marks(text: bytes) -> int:
    """Return an upper bound for the number of values: each is the first, opened or separated."""
    return 1 + text.count(b",") + _opened(text)


def _opened(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


def _depth(outside: bytes) -> int:
    """Return the depth of a JSON text without its strings."""
    deepest = depth = 0
    for mark in outside.translate(None, _NO_BRACKETS):
        depth += 1 if mark in b"[{" else -1
        deepest = max(deepest, depth)
        if depth < 0:  # not JSON: what follows isn't parsed
            break
    return deepest


def _too_many(limits: AnswerLimits) -> str:
    return f"gave an answer of more than {limits.values:,} values"


def _size(count: int) -> str:
    return f"{count // 1_000_000} MB" if count >= 1_000_000 else f"{count:,} bytes"
