"""Estimates whether reading a test's rows takes long."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from lve.conventions import INSTANCE_FOLDER
from lve.files.inside import list_inside
from lve.spec.model import Spec

LARGE_BYTES = 32_000
"""Size of all files from which a test is large. Reading them takes 50 ms if every line is wrong."""


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
    parts = (data.get(key) for key in ("path", "train", "test"))
    return data.get("format") == "parquet" or any(map(_has_parquet, parts))


def _files(data: object) -> Iterator[str]:
    """Yield the files that a data set is read from."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for key in ("path", "train", "test"):
            yield from _files(data.get(key))
