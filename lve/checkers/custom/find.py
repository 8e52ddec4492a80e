"""Finds custom checkers by name, without running their files.

A test's own checkers are in `checker/checker*.py` of its folder, shared ones in
`checkers/<name>/checker.py` of the workspace. Each file is searched for a class of the name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lve.errors import CheckerError, TrustError
from lve.file_names import CHECKER_FOLDER
from lve.files.inside import DOCUMENT_BYTES, is_missing, list_inside, read_inside
from lve.limits.effort import checkpoint
from lve.named_tuples import NamedTuple
from lve.settings.code_file import MAX_CODE_BYTES, CodeFileError, read_code, statements, trusted_as
from lve.spec.spec import Spec
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.settings.trusted_file import TrustedFile

SHARED_FOLDER = "checkers"
"""The workspace's folder of shared checkers."""
MAX_OWN_FILES = 100
"""Checker files of one test."""
MAX_REMEMBERED = 1_000
"""Files whose classes are remembered, because each checker of each test looks for its own."""


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
        CheckerError: a folder can't be read, or the test has too many files.
    """
    folder = spec.folder
    own = [
        folder / CHECKER_FOLDER / name
        for name in _names(folder, CHECKER_FOLDER)
        if name.startswith("checker") and name.endswith(".py")
    ]
    _refuse_too_many(own, folder / CHECKER_FOLDER)
    shared = [
        spec.root / SHARED_FOLDER / name / "checker.py" for name in _names(spec.root, SHARED_FOLDER)
    ]
    return [*own, *(file for file in shared if os.path.lexists(file))]


def _refuse_too_many(own: list[Path], folder: Path) -> None:
    """Refuse a test whose own checker files are too many or too large.

    Raises:
        CheckerError: they are.
    """
    if len(own) > MAX_OWN_FILES:
        message = f"{folder} has {len(own):,} checker files, and at most {MAX_OWN_FILES} are read"
        raise CheckerError(f"{message}: put the code into one", code="over_limit")
    size = 0
    for file in own:
        with suppress(OSError):  # reported when it is read
            size += file.lstat().st_size
    if size > MAX_CODE_BYTES:
        limit = MAX_CODE_BYTES // 1_000_000
        message = f"the checker files in {folder} have more than {limit} MB together"
        raise CheckerError(f"{message}: make them smaller", code="over_limit")


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
        CheckerError: a file can't be read or parsed, or there is too much code.
    """
    search, others = _Search(), list[Path]()
    for file in checker_files(spec):
        source = _read(file, spec)
        # An identifier that isn't ASCII may be another spelling of one that is.
        if source.isascii() and name.encode() not in source:
            others.append(file)
        elif name in search.classes(file, source):
            return CustomChecker(file, name, source)
    with suppress(_TooMuchCodeError):
        for file in others:  # they only matter if they aren't Python
            search.classes(file, _read(file, spec))
    return None


def custom_names(spec: Spec) -> list[str]:
    """Return the names of all classes in a test's checker files. Files that can't be used are left
    out, and those that would be too much code together."""
    names: list[str] = []
    search = _Search()
    with suppress(CheckerError):
        for file in checker_files(spec):
            with suppress(CheckerError):
                names += search.classes(file, _read(file, spec))
    return names


def shared_names(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the classes in a workspace's shared checker files, each with its file. Unreadable files
    are skipped; they are reported for the tests that use them."""
    with suppress(CheckerError):
        for folder in _names(root, SHARED_FOLDER):
            file = root / SHARED_FOLDER / folder / "checker.py"
            with suppress(CheckerError, OSError):
                source = read_inside(root, file, DOCUMENT_BYTES)
                yield from ((name, file) for name in _Search().classes(file, source))


class _TooMuchCodeError(CheckerError):
    """Finding a class would take too long."""


class _Search:
    """Finds classes in files, and parses at most `MAX_CODE_BYTES` of code."""

    def __init__(self) -> None:
        self._left = MAX_CODE_BYTES

    def classes(self, file: Path, source: bytes) -> tuple[str, ...]:
        """Return the names of the classes in a file.

        Raises:
            CheckerError: it isn't Python, or there is too much code.
        """
        checkpoint("looking for its checkers")
        from hashlib import sha256  # late: it loads OpenSSL

        key = file, sha256(source).digest()
        names = _REMEMBERED.get(key)
        if names is None:
            self._left -= len(source)
            if self._left < 0:
                limit = MAX_CODE_BYTES // 1_000_000
                message = f"{file} and the checker files before it have more than {limit} MB"
                raise _TooMuchCodeError(f"{message}: make them smaller", code="over_limit")
            if len(_REMEMBERED) >= MAX_REMEMBERED:
                _REMEMBERED.clear()
            names = _REMEMBERED[key] = _classes(file, source)
        if isinstance(names, str):
            raise CheckerError(names, code="checker_code")
        return names


_REMEMBERED: dict[tuple[Path, bytes], tuple[str, ...] | str] = {}
"""File and SHA-256 of its content -> the names of its classes, or why it isn't Python."""


def _folder_of(file: Path, spec: Spec) -> Path:
    """Return the folder inside which a checker file must be, after following links."""
    return spec.folder if file.is_relative_to(spec.folder / CHECKER_FOLDER) else spec.root


def _read(file: Path, spec: Spec) -> bytes:
    try:
        return read_code(_folder_of(file, spec), file)
    except CodeFileError as error:
        raise CheckerError(str(error), code="checker_code") from error


def _classes(file: Path, source: bytes) -> tuple[str, ...] | str:
    import ast

    try:
        parsed = statements(file, source)
    except CodeFileError as error:
        return str(error)
    return tuple(node.name for node in parsed if isinstance(node, ast.ClassDef))


def untrusted(spec: Spec, what: str, file: Path) -> TrustError:
    """Return the error for a test's own code that is not trusted, with the command that trusts it.

    Args:
        spec: the test.
        what: what of the test is code, such as `checker 'Own'`.
        file: the file of the code.
    """
    from shlex import quote  # late: only refusals need it

    path = file.relative_to(spec.root) if file.is_relative_to(spec.root) else file
    test = quote(display_path(spec.folder).as_posix())
    return TrustError(
        f"its {what} is Python code and is not trusted: read {path.as_posix()}, "
        f"then add --trust, as in: lve run {test} --trust (pytest: --lve-trust)"
    )
