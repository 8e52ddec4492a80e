"""Rows that are read in a thread, so that the loop sees to everything else meanwhile."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

from lve.border import border
from lve.conventions import INSTANCE_FOLDER
from lve.errors import Problem
from lve.execution.stop import StopSignal
from lve.execution.workers import Later
from lve.files.inside import list_inside
from lve.pipeline.engine import Engine
from lve.pipeline.select import select_instances
from lve.spec.model import Instance, Spec
from lve.spec.splits import splits_in

Item = TypeVar("Item")

LARGE_BYTES = 32_000
"""Size of all files from which a test is large. Reading them takes 50 ms if every line is wrong."""
BATCH = 256
"""Items that are handed over together."""
BATCH_S = 0.01
"""Seconds after which they are handed over, however few they are. So few large ones wait."""


def read_instances(
    engine: Engine, spec: Spec, *, warn: Callable[[str], None] | None
) -> Iterator[Instance | Problem | Later]:
    """Yield the instances of a test that the options ask for, as far as they can be read; those of
    large files are read in a thread.

    Args:
        engine: has the options; once the session is stopped nobody waits for the next ones.
        spec: the test.
        warn: called, in the loop's thread, when the settings' cap leaves instances out.

    Raises:
        LveError: nothing can be read any more.
    """
    told: list[str] = []
    look = None if warn is None else told.append
    with border("reading the instances"):
        found = select_instances(spec, engine.options, engine.settings, warn=look)
        yield from read_aside(found, engine.stop_signal) if is_large(spec) else found
    if warn is not None:
        for warning in told:
            warn(warning)


def is_large(spec: Spec) -> bool:
    """Return whether reading a test's rows may take so long that other tests should go on."""
    data = spec.dataset
    if _has_parquet(data):
        return True  # its size says nothing, and it needs a child process
    size = 0
    with suppress(OSError):  # reported when the file is read
        size += sum(os.stat(spec.folder / name).st_size for name in _files(data))  # noqa: PTH116
    with suppress(OSError):
        folder = spec.folder / INSTANCE_FOLDER
        for name in list_inside(spec.folder, INSTANCE_FOLDER):
            size += os.lstat(folder / name).st_size
    return size > LARGE_BYTES


def _has_parquet(data: object) -> bool:
    if not isinstance(data, Mapping):
        return isinstance(data, str) and data.lower().endswith(".parquet")
    return data.get("format") == "parquet" or any(map(_has_parquet, _parts(data)))


def _files(data: object) -> Iterator[str]:
    """Yield the files that a data set is read from."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for part in _parts(data):
            yield from _files(part)


def _parts(data: Mapping[str, object]) -> Iterator[object]:
    yield data.get("path")
    yield from splits_in(data).values()


def read_aside(items: Iterator[Item], stop_signal: StopSignal) -> Iterator[Item | Later]:
    """Yield what an iterator gives, and `Later` while it takes its time. Nobody else may use it.
    Call it in the loop's thread.

    Args:
        items: the iterator.
        stop_signal: once it is set, nobody waits for the next items.

    Raises:
        Exception: what the iterator raises.
    """
    batch = _begin(items)
    while True:
        while not batch.ready.done():
            # A batch may be a whole file of which no row is taken. Ctrl-C ends the wait for it, and
            # then nobody asks again.
            yield Later(asyncio.ensure_future(stop_signal.wait(batch.ready)))
        # The next ones are read while these are worked on, so that mostly nobody waits for them.
        following = None if batch.is_last else _begin(items)
        yield from batch.items
        if batch.error is not None:
            raise batch.error
        if following is None:
            return
        batch = following


class _Batch(Generic[Item]):
    """The next items of an iterator, and how it ended."""

    def __init__(self, ready: asyncio.Future[None]) -> None:
        """Args:
        ready: done once they are there.
        """
        self.ready = ready
        self.items: list[Item] = []
        self.error: BaseException | None = None
        self.is_last = False

    def fill(self, items: Iterator[Item]) -> None:
        """Take items until it is enough."""
        end = time.monotonic() + BATCH_S
        try:
            for item in items:
                self.items.append(item)
                if len(self.items) >= BATCH or time.monotonic() > end:
                    return
        except BaseException as error:  # goes on in the loop's thread
            self.error = error
        self.is_last = True


def _begin(items: Iterator[Item]) -> _Batch[Item]:
    """Return a batch that a thread fills."""
    loop = asyncio.get_running_loop()
    batch = _Batch[Item](loop.create_future())

    def work() -> None:
        batch.fill(items)
        with suppress(RuntimeError):  # the session has ended, and its loop is closed
            loop.call_soon_threadsafe(_settle, batch.ready)

    # A thread that nobody waits for at the end: Ctrl-C must not wait for a row.
    threading.Thread(target=work, name="lve-rows", daemon=True).start()
    return batch


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
