"""Reads the tests that a new test can start from: lve's patterns, and existing tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lve.errors import UsageError
from lve.escape import excerpt
from lve.extensions.authoring.new_test import NewTest
from lve.extensions.authoring.places import documents_of_name
from lve.file_names import DOCUMENT_NAMES, INSTANCE_FOLDER
from lve.files.inside import list_inside, read_inside, reason_of
from lve.spec.discover import SKIPPED_FOLDERS
from lve.spec.load import read_test
from lve.suggest import did_you_mean
from lve.workspace import display_path

GALLERY = Path(__file__).parent / "gallery"
MAX_FILES = 100
MAX_BYTES = 20_000_000
"""Size limit of all files of a test that is copied, together."""
MAX_DEPTH = 4


def pattern_names() -> list[str]:
    """Return the names of the patterns, sorted."""
    return sorted(entry.name for entry in GALLERY.iterdir() if entry.is_dir())


def read_pattern(name: str) -> NewTest:
    """Return a pattern, with its recorded answers."""
    return _read(GALLERY / name, with_recordings=True)


def pattern_description(name: str) -> str:
    """Return what a pattern says of itself."""
    return str(read_pattern(name).document["description"])


def read_origin(origin: str) -> NewTest:
    """Return the test that a new one starts from: a pattern, or an existing test without its
    recorded answers.

    Args:
        origin: the path of a test, the name of a pattern or the name of a test; the first that
            there is.

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
    if named := documents_of_name(origin):
        return _read(named[0].parent, with_recordings=False)
    hint = did_you_mean(origin, names) or f"patterns: {', '.join(names)}"
    raise UsageError(
        f"--from {excerpt(origin)}: there is neither such a test nor pattern ({hint})",
        code="unknown_name",
    )


def _read(folder: Path, *, with_recordings: bool) -> NewTest:
    document = read_test(folder)
    if not isinstance(document.data, dict):
        raise UsageError(f"{display_path(document.path)} is no test document", code="not_a_test")
    fields = {key: value for key, value in document.data.items() if key != "$schema"}
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
            f"{display_path(folder)} can't be copied: {_reason(error)}", code="unreadable"
        ) from None
    return NewTest(fields, files)


def _reason(error: OSError) -> str:
    reason = reason_of(error)
    return f"{Path(error.filename).name} is {reason}" if error.filename else reason


def _names(folder: Path, inside: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the files of a test folder and its subfolders, without tests in subfolders."""
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
