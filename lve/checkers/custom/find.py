"""Finds checkers that a test brings along. Nothing is run here; only trusted files will be.

A test's own stand in `checker/checker*.py`, shared ones in `checkers/<name>/checker.py` at the
workspace root. A test names a class, so files are searched for a class of that name.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lve.checkers.custom.files import checker_files, folder_of
from lve.errors import CheckerError, TrustError
from lve.files.inside import FileTooLargeError, read_inside
from lve.spec.model import Spec
from lve.workspace import TrustedFile

MAX_FILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class CustomChecker:
    """A checker class in a file that has not been run."""

    file: Path
    name: str
    source: bytes
    """The content of the file. Exactly this runs, even if the file changes meanwhile."""

    def trusted_as(self, root: Path, trust: Iterable[TrustedFile]) -> TrustedFile | None:
        """Return the settings' entry for the file with this content, None if there is none."""
        path = self.file.relative_to(root).as_posix() if self.file.is_relative_to(root) else None
        digest = hashlib.sha256(self.source).hexdigest()
        found = (t for t in trust if t.path == path and t.sha256.lower() == digest)
        return next(found, None)


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
        with contextlib.suppress(CheckerError):
            names += [node.name for node in _classes(file, _read(file, spec))]
    return names


def _read(file: Path, spec: Spec) -> bytes:
    try:
        return read_inside(folder_of(file, spec), file, MAX_FILE_BYTES)
    except FileTooLargeError as error:
        raise CheckerError(f"{file}: more than {MAX_FILE_BYTES:,} bytes") from error
    except OSError as error:
        raise CheckerError(f"{file}: can't be read: {error.strerror}") from error


def _classes(file: Path, source: bytes) -> list[ast.ClassDef]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, filename=str(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line else str(file)
        raise CheckerError(f"{place}: not Python: {getattr(error, 'msg', error)}") from error
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def untrusted(spec: Spec, found: CustomChecker) -> TrustError:
    """Return the error for a file that is not trusted; it says what to do."""
    file = found.file.relative_to(spec.root) if found.file.is_relative_to(spec.root) else found.file
    return TrustError(
        f"its checker '{found.name}' is Python code and is not trusted; read {file.as_posix()}, "
        "then run again with --trust"
    )
