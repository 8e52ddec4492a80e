"""Reads the instances of a test, large files in a thread, so that other tests don't have to
wait."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from lve.error_boundary import error_boundary
from lve.errors import Problem
from lve.execution.workers import WaitFor
from lve.file_names import INSTANCE_FOLDER
from lve.files.inside import list_inside
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.engine import Engine
from lve.pipeline.threads import read_in_thread
from lve.spec.spec import Instance, Spec, splits_in

LARGE_BYTES = 32_000
"""A thread reads a test's files if they are larger together. Reading so many bytes takes 50 ms if
every line is wrong."""


def read_instances(
    engine: Engine,
    spec: Spec,
    model: str,
    *,
    options: RunOptions | None = None,
    once: bool = False,
    warn: Callable[[str], None] | None,
) -> Iterator[Instance | Problem | WaitFor]:
    """Yield the instances of a test that the options select, and the problems of its files.

    Args:
        engine: the session's engine; waiting for a thread ends when the session is stopped.
        spec: the test.
        model: the model that the test runs against.
        options: select the instances; None: the session's options do.
        once: as for `select_instances`.
        warn: called, in the event loop's thread, if the settings' cap leaves instances out.

    Raises:
        LveError: the next instances can't be read.
    """
    warnings: list[str] = []  # collected, because a thread may read
    options, note = options or engine.options, None if warn is None else warnings.append
    with error_boundary("reading the rows"):
        instances = select_instances(
            spec, options, engine.settings, model=model, once=once, warn=note
        )
        yield from read_in_thread(instances, engine.stop_signal) if is_large(spec) else instances
    if warn is not None:
        for warning in warnings:
            warn(warning)


def is_large(spec: Spec) -> bool:
    """Return whether reading a test's rows may take so long that a thread should do it."""
    data = spec.dataset
    if _has_parquet(data):
        return True  # it is compressed, and a child process reads it
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
    """Yield the names of the files of a data set."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for part in _parts(data):
            yield from _files(part)


def _parts(data: Mapping[str, object]) -> Iterator[object]:
    yield data.get("path")
    yield from splits_in(data).values()
