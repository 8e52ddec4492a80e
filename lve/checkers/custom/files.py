"""The files that may hold a test's own checkers.

Separate from `find`, which few tests need and which takes 15 ms to import.
"""

from __future__ import annotations

import os
from pathlib import Path

from lve.conventions import CHECKER_FOLDER
from lve.errors import CheckerError
from lve.files.inside import is_missing, list_inside
from lve.spec.model import Spec

SHARED_FOLDER = "checkers"
"""Folder of the checkers that several tests of a workspace use."""


def checker_files(spec: Spec) -> list[Path]:
    """Return the files that may hold a test's checker, its own files first.

    Raises:
        CheckerError: their folder can't be read.
    """
    folder = spec.folder
    own = [
        folder / CHECKER_FOLDER / name
        for name in _names(folder, CHECKER_FOLDER)
        if name.startswith("checker") and name.endswith(".py")
    ]
    shared = [
        spec.root / SHARED_FOLDER / name / "checker.py" for name in _names(spec.root, SHARED_FOLDER)
    ]
    return [*own, *(file for file in shared if os.path.lexists(file))]


def folder_of(file: Path, spec: Spec) -> Path:
    """Return the folder that a test's checker file must be inside of, even after following
    links."""
    return spec.folder if file.is_relative_to(spec.folder / CHECKER_FOLDER) else spec.root


def _names(folder: Path, name: str) -> list[str]:
    """Return the names in a folder.

    Raises:
        CheckerError: it is there and can't be read, or is outside.
    """
    try:
        return list_inside(folder, name)
    except OSError as error:
        if is_missing(error):
            return []
        raise CheckerError(f"{folder / name} can't be read: {error.strerror}") from error
