"""Reads and parses untrusted Python files, and checks whether the user trusts them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lve.files.inside import DOCUMENT_BYTES, FileTooLargeError, read_inside

if TYPE_CHECKING:
    import ast  # imported late: it takes 15 ms, and few tests have code

    from lve.settings.trusted_file import TrustedFile

MAX_CODE_BYTES = 4_000_000
"""Code of a test that is parsed for one purpose, which takes a second or two."""


class CodeFileError(Exception):
    """A file can't be read or isn't Python. The message has its name and the reason."""


def read_code(folder: Path, file: Path) -> bytes:
    """Return the content of a file that must be inside a folder, even after following links.

    Raises:
        CodeFileError: it can't be read.
    """
    try:
        return read_inside(folder, file, DOCUMENT_BYTES)
    except FileTooLargeError as error:
        raise CodeFileError(f"{file}: more than {DOCUMENT_BYTES:,} bytes") from error
    except OSError as error:
        raise CodeFileError(f"{file}: can't be read: {error.strerror}") from error


def statements(file: Path, source: bytes) -> list[ast.stmt]:
    """Return the top-level statements of a file. It is parsed, but not run.

    Raises:
        CodeFileError: it isn't Python.
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
    """Return the settings' entry that trusts a file with this content; None if there is none.

    Args:
        file: the file.
        source: its content.
        root: the workspace root; entries name files relative to it.
        trust: the entries of the settings.
    """
    import hashlib

    path = file.relative_to(root).as_posix() if file.is_relative_to(root) else None
    digest = hashlib.sha256(source).hexdigest()
    return next((t for t in trust if t.path == path and t.sha256.lower() == digest), None)
