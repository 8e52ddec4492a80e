"""Finds checkers that a test brings along. Nothing is run here; only trusted files will be.

A test's own stand in `checker/checker*.py`, shared ones in `checkers/<name>/checker.py` at the
workspace root. A test names a class, so files are searched for a class of that name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lve.conventions import CHECKER_FOLDER
from lve.errors import CheckerError, TrustError
from lve.files.inside import is_missing, list_inside, read_inside
from lve.settings.code_file import MAX_FILE_BYTES, CodeFileError, read_code, statements, trusted_as
from lve.spec.model import Spec

if TYPE_CHECKING:
    import ast  # imported late: it takes 15 ms, and few tests bring a checker

    from lve.settings.trusted_file import TrustedFile

SHARED_FOLDER = "checkers"
"""Folder of the checkers that several tests of a workspace use."""


class CustomChecker(NamedTuple):
    """A checker class in a file that has not been run."""

    file: Path
    name: str
    source: bytes
    """The content of the file. Exactly this runs, even if the file changes meanwhile."""

    def trusted_as(self, root: Path, trust: Iterable[TrustedFile]) -> TrustedFile | None:
        """Return the settings' entry for the file with this content, None if there is none."""
        return trusted_as(self.file, self.source, root, trust)


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


def _names(folder: Path, name: str) -> list[str]:
    """Return the names in a folder.

    Raises:
        CheckerError: it is there and can't be read, or is outside.
    """
    if not os.path.lexists(f"{folder}/{name}"):  # nearly always, and quicker than pathlib
        return []
    try:
        return list_inside(folder, name)
    except OSError as error:
        if is_missing(error):
            return []
        raise CheckerError(
            f"{folder / name} can't be read: {error.strerror}", code="unreadable"
        ) from error


def find_custom(spec: Spec, name: str) -> CustomChecker | None:
    """Return the checker class of that name, None if there is none. Files are read, never run.

    Raises:
        CheckerError: a file that comes before it can't be read.
    """
    for file in checker_files(spec):
        source = _read(file, spec)
        for node in _classes(file, source):
            if node.name == name:
                return CustomChecker(file, name, source)
    return None


def custom_names(spec: Spec) -> list[str]:
    """Return the names of all classes in a test's checker files."""
    names: list[str] = []
    for file in checker_files(spec):
        with suppress(CheckerError):
            names += [node.name for node in _classes(file, _read(file, spec))]
    return names


def shared_names(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the classes in a workspace's shared checker files, each with its file. A file that
    can't be read is left out: the tests that use it say why."""
    with suppress(CheckerError):
        for folder in _names(root, SHARED_FOLDER):
            file = root / SHARED_FOLDER / folder / "checker.py"
            with suppress(CheckerError, OSError):
                source = read_inside(root, file, MAX_FILE_BYTES)
                yield from ((node.name, file) for node in _classes(file, source))


def _folder_of(file: Path, spec: Spec) -> Path:
    """Return the folder that a test's checker file must be inside of, even after following
    links."""
    return spec.folder if file.is_relative_to(spec.folder / CHECKER_FOLDER) else spec.root


def _read(file: Path, spec: Spec) -> bytes:
    try:
        return read_code(_folder_of(file, spec), file)
    except CodeFileError as error:
        raise CheckerError(str(error), code="checker_code") from error


def _classes(file: Path, source: bytes) -> list[ast.ClassDef]:
    import ast

    try:
        return [node for node in statements(file, source) if isinstance(node, ast.ClassDef)]
    except CodeFileError as error:
        raise CheckerError(str(error), code="checker_code") from error


def untrusted(spec: Spec, found: CustomChecker) -> TrustError:
    """Return the error for a file that is not trusted; it says what to do."""
    file = found.file.relative_to(spec.root) if found.file.is_relative_to(spec.root) else found.file
    return TrustError(
        f"its checker '{found.name}' is Python code and is not trusted: read {file.as_posix()}, "
        "then run again with --trust (pytest: --lve-trust)"
    )
