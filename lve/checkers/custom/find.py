"""Finds custom checkers by name, without running their files.

A test's own checkers are in `checker/checker*.py` of its folder, shared ones in
`checkers/<name>/checker.py` of the workspace. Each file is searched for a class of the name.
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
"""The workspace's folder of shared checkers."""


class CustomChecker(NamedTuple):
    """A checker class in a file that has not been run."""

    file: Path
    name: str
    source: bytes
    """The content of the file. This content runs, even if the file changes."""

    def trusted_as(self, root: Path, trust: Iterable[TrustedFile]) -> TrustedFile | None:
        """Return the entry of `trust`, from the settings, for the file with this content, or
        None."""
        return trusted_as(self.file, self.source, root, trust)


def checker_files(spec: Spec) -> list[Path]:
    """Return the files that may define a test's checkers, the test's own files first.

    Raises:
        CheckerError: a folder can't be read.
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
    """Return the names in the folder `name` of `folder`; none if it doesn't exist.

    Raises:
        CheckerError: the folder can't be read, or is a link to the outside.
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
    """Return the checker class of that name; None if there is none. Files are read, but not run.

    Raises:
        CheckerError: a file can't be read or parsed.
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
    """Yield the classes in a workspace's shared checker files, each with its file. Unreadable files
    are skipped; they are reported for the tests that use them."""
    with suppress(CheckerError):
        for folder in _names(root, SHARED_FOLDER):
            file = root / SHARED_FOLDER / folder / "checker.py"
            with suppress(CheckerError, OSError):
                source = read_inside(root, file, MAX_FILE_BYTES)
                yield from ((node.name, file) for node in _classes(file, source))


def _folder_of(file: Path, spec: Spec) -> Path:
    """Return the folder inside which a checker file must be, after following links."""
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
    """Return the error for a checker file that is not trusted."""
    file = found.file.relative_to(spec.root) if found.file.is_relative_to(spec.root) else found.file
    return TrustError(
        f"its checker '{found.name}' is Python code and is not trusted: read {file.as_posix()}, "
        "then run again with --trust (pytest: --lve-trust)"
    )
