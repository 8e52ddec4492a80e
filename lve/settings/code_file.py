"""Python files of strangers, before they run: read, parsed, held against what the user trusts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lve.files.inside import FileTooLargeError, read_inside

if TYPE_CHECKING:
    import ast  # imported late: it takes 15 ms, and few tests bring code

    from lve.settings.trusted_file import TrustedFile

MAX_FILE_BYTES = 1_000_000


class CodeFileError(Exception):
    """A file can't be read, or is no Python; says which and why."""


def read_code(folder: Path, file: Path) -> bytes:
    """Return the content of a file that must be inside a folder, even after following links.

    Raises:
        CodeFileError: it can't be read.
    """
    try:
        return read_inside(folder, file, MAX_FILE_BYTES)
    except FileTooLargeError as error:
        raise CodeFileError(f"{file}: more than {MAX_FILE_BYTES:,} bytes") from error
    except OSError as error:
        raise CodeFileError(f"{file}: can't be read: {error.strerror}") from error


def statements(file: Path, source: bytes) -> list[ast.stmt]:
    """Return what stands at the top level of a file, which is parsed and not run.

    Raises:
        CodeFileError: it is no Python.
    """
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, filename=str(file)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line else str(file)
        raise CodeFileError(f"{place}: not Python: {getattr(error, 'msg', error)}") from error


def trusted_as(
    file: Path, source: bytes, root: Path, trust: Iterable[TrustedFile]
) -> TrustedFile | None:
    """Return the settings' entry for a file with this content, None if there is none.

    Args:
        file: the file.
        source: its content.
        root: of the workspace; entries name files relative to it.
        trust: the settings' entries.
    """
    import hashlib

    path = file.relative_to(root).as_posix() if file.is_relative_to(root) else None
    digest = hashlib.sha256(source).hexdigest()
    return next((t for t in trust if t.path == path and t.sha256.lower() == digest), None)
