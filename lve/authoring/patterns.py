"""Tests that a new one can begin as: the patterns that ship with lve, and existing tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lve.authoring.new_test import NewTest
from lve.conventions import DOCUMENT_NAMES, INSTANCE_FOLDER
from lve.errors import UsageError
from lve.escape import excerpt
from lve.files.inside import list_inside, read_inside, reason_of
from lve.spec.discover import SKIPPED_FOLDERS
from lve.spec.load import read_test
from lve.suggest import did_you_mean
from lve.workspace import display_path

GALLERY = Path(__file__).parent / "gallery"
MAX_FILES = 100
MAX_BYTES = 20_000_000
"""Most bytes of all files of a test that is copied."""
MAX_DEPTH = 4


def pattern_names() -> list[str]:
    """Return the names of the patterns."""
    return sorted(entry.name for entry in GALLERY.iterdir() if entry.is_dir())


def read_pattern(name: str) -> NewTest:
    """Return one of the patterns, with the answers that are recorded for it."""
    return _read(GALLERY / name, with_recordings=True)


def read_origin(origin: str) -> NewTest:
    """Return the test that a new one is made from.

    An existing test comes without its recorded answers: they belong to it.

    Args:
        origin: path of a test, or name of a pattern; a path that exists wins.

    Raises:
        UsageError: there is no such test or pattern, or it is too large.
        SpecError: its document can't be read.
    """
    path = Path(origin)
    if os.path.lexists(path):
        folder = path.parent if path.name in DOCUMENT_NAMES else path
        return _read(folder, with_recordings=False)
    names = pattern_names()
    if origin in names:
        return read_pattern(origin)
    hint = did_you_mean(origin, names) or f"patterns: {', '.join(names)}"
    raise UsageError(
        f"--from {excerpt(origin)}: there is neither such a test nor pattern ({hint})",
        code="unknown_name",
    )


def _read(folder: Path, *, with_recordings: bool) -> NewTest:
    document = read_test(folder)
    if not isinstance(document.data, dict):
        raise UsageError(f"{display_path(document.path)} is no test document", code="not_a_test")
    kept = {key: value for key, value in document.data.items() if key != "$schema"}
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        for name in _names(folder):
            if name.startswith(f"{INSTANCE_FOLDER}/") and not with_recordings:
                continue
            if len(files) == MAX_FILES:
                raise UsageError(
                    f"{display_path(folder)} has more than {MAX_FILES} files", code="over_limit"
                )
            files[name] = read_inside(folder, name, left)
            left -= len(files[name])
    except OSError as error:
        raise UsageError(
            f"{display_path(folder)} can't be copied: {_told(error)}", code="unreadable"
        ) from None
    return NewTest(kept, files)


def _told(error: OSError) -> str:
    reason = reason_of(error)
    return f"{Path(error.filename).name} is {reason}" if error.filename else reason


def _names(folder: Path, inside: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the files of a test folder, in its folders, too, but not those of tests below it."""
    for name in list_inside(folder, inside or "."):
        path = f"{inside}/{name}" if inside else name
        if name.startswith(".") or (name in DOCUMENT_NAMES and not inside):
            continue
        place = folder / path
        if place.is_symlink() or not place.is_dir():
            yield path
        elif name not in SKIPPED_FOLDERS and depth < MAX_DEPTH and not _is_test(place):
            yield from _names(folder, path, depth + 1)


def _is_test(folder: Path) -> bool:
    return any((folder / name).exists() for name in DOCUMENT_NAMES)
