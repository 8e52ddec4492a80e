"""Where a test's own checkers may stand. Apart from `custom`, which few tests need and which takes
15 ms to import."""

from __future__ import annotations

import os
from pathlib import Path

from lve.conventions import CHECKER_FOLDER
from lve.errors import CheckerError
from lve.files.inside import is_missing, list_inside
from lve.spec.model import Spec

SHARED_FOLDER = "checkers"
"""Of checkers that several tests of a workspace use."""


def checker_files(spec: Spec) -> list[Path]:
    """Return the files in which a test's checker may stand, its own first.

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
    """Return what a test's checker file must not be outside of, after links are followed."""
    return spec.folder if file.is_relative_to(spec.folder / CHECKER_FOLDER) else spec.root


def _names(folder: Path, name: str) -> list[str]:
    """Return what a folder holds.

    Raises:
        CheckerError: it is there and can't be read, or is outside.
    """
    try:
        return list_inside(folder, name)
    except OSError as error:
        if is_missing(error):
            return []
        raise CheckerError(f"{folder / name} can't be read: {error.strerror}") from error
