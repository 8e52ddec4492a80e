"""Reading the instances of a test for a session, without keeping its other tests waiting."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from lve.border import border
from lve.conventions import INSTANCE_FOLDER
from lve.errors import Problem
from lve.execution.workers import Later
from lve.files.inside import list_inside
from lve.pipeline.aside import read_aside
from lve.pipeline.choosing.select import select_instances
from lve.pipeline.engine import Engine
from lve.run_options import RunOptions
from lve.spec.model import Instance, Spec, splits_in

LARGE_BYTES = 32_000
"""Size of all files from which a test is large. Reading them takes 50 ms if every line is wrong."""


def read_instances(
    engine: Engine,
    spec: Spec,
    model: str,
    *,
    options: RunOptions | None = None,
    warn: Callable[[str], None] | None,
) -> Iterator[Instance | Problem | Later]:
    """Yield the instances of a test that the options ask for, as far as they can be read; those of
    large files are read in a thread.

    Args:
        engine: once its session is stopped nobody waits for the next ones.
        spec: the test.
        model: that is asked.
        options: which instances are wanted, if not what the session's options ask for.
        warn: called, in the loop's thread, when the settings' cap leaves instances out.

    Raises:
        LveError: nothing can be read any more.
    """
    asked = options or engine.options
    told: list[str] = []
    look = None if warn is None else told.append
    with border("reading the instances"):
        found = select_instances(spec, asked, engine.settings, model=model, warn=look)
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
