"""Reads text files, and JSON or YAML documents that know the positions of their values.

`read_document` runs for every test, so it only parses. The positions are found by parsing the text
a second time, when a message needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import Finding, JsonPath, Places, TextError, spell_path
from lve.errors import Problem, Severity, SpecError
from lve.files.inside import DOCUMENT_BYTES, FileTooLargeError, read_inside, reason_of
from lve.limits.effort import checkpoint
from lve.named_tuples import NamedTuple
from lve.workspace import display_path

_LARGE_HINT = "put long data into files beside it: instances/, a data set, a prompt file"


def _parsers(suffix: str) -> tuple[Callable[[str], object], Callable[[str], Places]]:
    if suffix == ".json":
        return parse_json, json_places
    from lve.documents.yaml_text import parse_yaml, yaml_places  # late: many runs never need it

    return parse_yaml, yaml_places


def parser_for(suffix: str) -> Callable[[str], Any]:
    """Return what parses the text of a file with this suffix: JSON for `.json`, else YAML."""
    return _parsers(suffix)[0]


class Document:
    """A parsed file that knows the positions of its values.

    Attributes:
        path: the file, as it was given.
        data: the value. Treat it as read-only: YAML aliases share their values.
        text: the text of the file.
        inherited: path of a value that comes from another file -> its position there.
    """

    __slots__ = ("_find_places", "_places", "data", "inherited", "path", "text")

    def __init__(
        self, path: Path, data: Any, text: str, find_places: Callable[[str], Places] | None
    ) -> None:
        self.path = path
        self.data = data
        self.text = text
        self.inherited: dict[JsonPath, DocumentPosition] = {}
        self._find_places = find_places
        self._places: Places | None = None

    def position(self, path: JsonPath, *, key: bool = False) -> tuple[int, int] | None:
        """Return line and column of the value at `path` or of its key, both from 1.

        If there is no such value, return the position of the nearest value around it. Return None
        if the positions aren't known (TOML).
        """
        if self._find_places is None:
            return None
        if self._places is None:
            self._places = self._find_places(self.text)
        return self._places.of(path, key=key)

    def problem(
        self,
        message: str,
        path: JsonPath,
        *,
        hint: str | None = None,
        key: bool = False,
        severity: Severity = "error",
        code: str,
    ) -> Problem:
        """Return a problem at the position of the value at `path`, or of its key."""
        checkpoint("describing its problems")
        if (home := self._home(path)) is not None:
            return home.problem(message, hint, severity, key=key, code=code)
        line, column = self.position(path, key=key) or (None, None)
        spelled = spell_path(path) if path else None
        place = display_path(self.path), line, column
        return Problem(message, *place, spelled, hint, severity, code=code)

    def at(self, path: JsonPath) -> DocumentPosition:
        """Return the position of the value at `path`; its line is found when it is first used."""
        return self._home(path) or DocumentPosition(self.path, path)

    def _home(self, path: JsonPath) -> DocumentPosition | None:
        """Return the position of a value that comes from another file; None for other values."""
        for length in range(len(path), 0, -1) if self.inherited else ():
            if (home := self.inherited.get(path[:length])) is not None:
                return home.below(path[length:])
        return None


class DocumentPosition(NamedTuple):
    """The position of a value in a document.

    The document is read again when the line or column is used: few positions are ever shown, and
    ten thousand tests must not keep their texts in memory.
    """

    document: Path
    keys: JsonPath

    @property
    def file(self) -> Path:
        """The file, as the user would name it."""
        return display_path(self.document)

    @property
    def line(self) -> int | None:
        """From 1."""
        return self._place()[0]

    @property
    def column(self) -> int | None:
        """From 1."""
        return self._place()[1]

    @property
    def path(self) -> str:
        """JSON path."""
        return spell_path(self.keys)

    def below(self, keys: JsonPath) -> DocumentPosition:
        """Return the position of a value inside this one."""
        return DocumentPosition(self.document, (*self.keys, *keys))

    def problem(
        self,
        message: str,
        hint: str | None = None,
        severity: Severity = "error",
        *,
        key: bool = False,
        code: str,
    ) -> Problem:
        """Return a problem at this position, or at that of the value's key."""
        checkpoint("describing its problems")
        line, column = self._place(key=key)
        return Problem(message, self.file, line, column, self.path, hint, severity, code=code)

    def _place(self, *, key: bool = False) -> tuple[int, int] | tuple[None, None]:
        try:
            stat = self.document.stat()
            document = _read_again(self.document, stat.st_mtime_ns, stat.st_size)
            return document.position(self.keys, key=key) or (None, None)
        except (SpecError, OSError):  # the file has changed
            return None, None


@lru_cache(maxsize=1)
def _read_again(path: Path, changed_ns: int, size: int) -> Document:
    """Read a document for its positions, not its values. Cached, because positions in a file are
    used together."""
    text = read_text(path, folder=path.parent, max_bytes=DOCUMENT_BYTES, hint=_LARGE_HINT)
    return Document(path, None, text, _parsers(path.suffix)[1])


def read_document(path: Path, folder: Path | None = None) -> Document:
    """Read a JSON file (`.json`) or a YAML file (anything else).

    It must be UTF-8 (with or without BOM), at most 1 MB, nested at most 100 levels, and without
    duplicate keys.

    Args:
        path: the file.
        folder: the folder that it must be in after links are followed; by default its own.

    Raises:
        SpecError: it can't be read or parsed; the error has all problems and their positions.
    """
    parse, find_places = _parsers(path.suffix)
    folder = path.parent if folder is None else folder
    text = read_text(path, folder=folder, max_bytes=DOCUMENT_BYTES, hint=_LARGE_HINT)
    try:
        return Document(path, parse(text), text, find_places)
    except TextError as err:
        raise SpecError([problem_of(finding, path) for finding in err.findings]) from None


def problem_of(finding: Finding, file: Path) -> Problem:
    """Return a finding as a problem of a file."""
    path = spell_path(finding.path) if finding.path else None
    place = finding.line, finding.column
    display = display_path(file)
    return Problem(finding.message, display, *place, path, finding.hint, code=finding.code)


def read_text(path: Path, *, folder: Path, max_bytes: int, hint: str) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Args:
        path: the file.
        folder: the folder that it must be in after links are followed.
        max_bytes: maximum size of the file.
        hint: what the user can do about a larger file.

    Raises:
        SpecError: the file can't be read, is outside the folder, isn't a regular file, is too large
            or isn't UTF-8.
    """
    try:
        return read_inside(folder, path, max_bytes).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError([_unreadable(error, display_path(path), hint)]) from error


def _unreadable(error: OSError | UnicodeDecodeError, display: Path, hint: str) -> Problem:
    if isinstance(error, FileTooLargeError):
        return Problem(error.reason, display, hint=hint, code="over_limit")
    if isinstance(error, OSError):
        return Problem(f"can't be read: {reason_of(error)}", display, code="unreadable")
    before = error.object[: error.start].decode("utf-8-sig", "replace")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Problem("not UTF-8", display, line, column, hint="save it as UTF-8", code="encoding")
