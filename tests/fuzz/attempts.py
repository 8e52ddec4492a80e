"""Tries inputs on what eats them, and tells what went wrong: a traceback, a hang, memory, or
something that was left behind."""

from __future__ import annotations

import ctypes
import gc
import io
import logging
import os
import random
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import click

from lve.documents.position_types import TextError
from lve.errors import LveError, UnexpectedError

Parts = Mapping[str, bytes]
"""An input: name of a part (a file, the arguments, the lines of a server) -> its bytes."""

HANGS_S = 60
LONGEST_MESSAGE = 100_000
"""Characters of an error message, or of what a command prints about one input, ..."""
MOST_MEMORY = 400_000_000
"""Bytes by which one input may make the process grow."""
MOST_LEFT_BEHIND = 60_000_000
"""Bytes by which the process may grow between the first tenth of the inputs and the last one."""
BUG = re.compile(r"this is a bug in lve|Traceback \(most recent call last\)")


class Door(NamedTuple):
    """Where inputs come in."""

    draw: Callable[[random.Random], Parts]
    """Returns a hostile input."""
    eat: Callable[[Parts], object]
    """Reads an input as lve does; may only raise errors on purpose."""
    cost: float = 1.0
    """Milliseconds that one input takes, about; says how many inputs this door gets."""
    longest_s: float = 3.0
    """Most seconds of the processor for one input."""


class Wrong(NamedTuple):
    """What an input has done."""

    kind: str
    """The same for all inputs that find the same defect, such as the place of the exception."""
    text: str
    """All that is known, with the traceback."""


class HangsError(BaseException):
    """An input doesn't end. No `except Exception` may hide it."""


def attempt(door: Door, parts: Parts) -> Wrong | None:
    """Return what an input does that it must not; None if all is well."""
    said, failed = io.StringIO(), list[str]()
    before, started = _resident(), time.process_time()
    with redirect_stdout(said), redirect_stderr(said), _no_hang(), _plain_logs(), _threads(failed):
        try:
            door.eat(parts)
            wrong = None
        except (LveError, TextError, click.ClickException, click.exceptions.Exit) as error:
            wrong = _refusal(error)
        except (Exception, HangsError) as error:
            wrong = Wrong(place_of(error), "".join(traceback.format_exception(error)))
    text, taken = said.getvalue(), time.process_time() - started
    if failed:
        wrong = wrong or Wrong(f"in a thread: {failed[0].splitlines()[-1]}", failed[0])
    if wrong is None and BUG.search(text):
        wrong = Wrong(_printed_kind(text), text[:20_000])
    if wrong is None and taken > door.longest_s:
        wrong = Wrong("slow", f"{taken:.1f} s of the processor")
    if wrong is None and _resident() - before > MOST_MEMORY:
        wrong = Wrong("memory", f"{(_resident() - before) // 1_000_000} MB more than before")
    return wrong


def _refusal(error: BaseException) -> Wrong | None:
    if isinstance(error, UnexpectedError):
        cause = error.__cause__ or error
        return Wrong(place_of(cause), "".join(traceback.format_exception(error)))
    if len(str(error)) > LONGEST_MESSAGE:
        return Wrong("a long message", f"{len(str(error))} characters: {str(error)[:500]}")
    return None


def place_of(error: BaseException) -> str:
    """Return `KeyError in lve/x.py:12`: the innermost line of lve."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        f"{f.filename.rpartition('/lve/')[2]}:{f.lineno}" for f in frames if "/lve/" in f.filename
    ]
    return f"{type(error).__name__} in {lines[-1] if lines else 'no line of lve'}"


def _printed_kind(text: str) -> str:
    lines = [
        line
        for line in text.splitlines()
        if BUG.search(line) or re.match(r"\w+(Error|Exception)\b", line)
    ]
    return "printed: " + re.sub(r"\d+", "0", lines[-1] if lines else "")[:200]


@contextmanager
def _no_hang() -> Iterator[None]:
    """Turn an input that never ends into an exception that shows where."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(_: int, __: FrameType | None) -> Any:
        raise HangsError(f"an input takes more than {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _plain_logs() -> Iterator[None]:
    """Have logging print as it does in lve's own process: warnings and errors, to stderr."""
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    try:
        yield
    finally:
        root.handlers = before


@contextmanager
def _threads(failed: list[str]) -> Iterator[None]:
    """Keep what threads and destructors fail of."""

    def note(given: Any) -> None:
        error = given.exc_value
        if not isinstance(error, SystemExit | ResourceWarning):
            failed.append("".join(traceback.format_exception(error)))

    before = threading.excepthook, sys.unraisablehook
    threading.excepthook, sys.unraisablehook = note, note
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


class Footprint(NamedTuple):
    """What the process has at a moment."""

    memory: int
    files: int
    threads: int
    children: int


def footprint() -> Footprint:
    """Return what the process has now, after collecting garbage."""
    gc.collect()
    with suppress(
        OSError, AttributeError, TypeError
    ):  # other C libraries keep no free memory so long
        ctypes.CDLL(None).malloc_trim(0)
    return Footprint(_resident(), _count("/proc/self/fd"), threading.active_count(), _children())


def left_behind(before: Footprint, after: Footprint) -> list[str]:
    """Return what many inputs have left behind."""
    more = [late - early for early, late in zip(before, after, strict=True)]
    limits = (MOST_LEFT_BEHIND, 20, 10, 3)
    words = ("bytes of memory", "open files", "threads", "processes")
    return [
        f"{count} more {word} than before"
        for count, limit, word in zip(more, limits, words, strict=True)
        if count > limit
    ]


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:  # no Linux
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _count(folder: str) -> int:
    with suppress(OSError):
        return len(list(Path(folder).iterdir()))
    return 0


def _children() -> int:
    try:
        return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
    except OSError:
        return 0
