"""Makes the problems of data: of lines in a file, and of instances; measures values from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from lve.documents.json_text import JSON_BLANKS, decode_json, parse_json
from lve.documents.position_types import MAX_NESTING, TextError
from lve.documents.read import problem_of
from lve.errors import Problem, Severity
from lve.escape import excerpt
from lve.file_names import DOCUMENT_NAMES
from lve.limits.problems import MAX_ROW_PROBLEMS
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

MAX_EXPLAINED_BYTES = 1_000_000
"""Total size of the wrong lines of one file that are explained, which takes a second or two. The
first wrong line is always explained."""
MAX_QUICK = 100_000
"""Characters of a line that is decoded quickly."""
_OBJECT_BYTES = 64
"""Memory of a value, without the characters of a text."""
_DICT_BYTES = 232
"""Memory of a row or another object, in addition to its values."""
_PLAIN = frozenset((int, float, bool, type(None)))
"""Types of values that contain nothing."""


class LineProblems:
    """Makes the problems of the lines of one file.

    Explaining a problem takes ten times as long as reading a line, and a line may have 16 MB. So
    only the first ones are explained; the others are only reported as wrong.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._shown = display_path(file)
        self._count = 0
        self._left = MAX_EXPLAINED_BYTES

    def value(self, line: str, number: int) -> Any:
        """Return the JSON value of a line, or a `Problem` if it isn't JSON.

        Args:
            line: the text of the line.
            number: its number, from 1.
        """
        try:
            value = _quickly_decoded(line)
            return decode_json(line) if value is None else value
        except ValueError:
            explain = partial(json_problem, line, self._file, line=number)
            return self.explained(number, explain, len(line))

    def explained(
        self, number: int, explain: Callable[[], Problem | None], size: int
    ) -> Problem | None:
        """Return the problem of a line that failed a quick check; None if nothing is wrong after
        all.

        Args:
            number: the line's number, from 1.
            explain: makes the problem, or returns None. Only called for the first
                `MAX_ROW_PROBLEMS` lines, and until they have `MAX_EXPLAINED_BYTES`.
            size: what the line takes, in bytes.
        """
        if self._count >= MAX_ROW_PROBLEMS or self._left <= 0:
            message = "is wrong, as many lines before it"
            return Problem(message, self._shown, number, code="more_problems")
        self._left -= size
        problem = explain()
        self._count += problem is not None
        return problem


def _quickly_decoded(line: str) -> object:
    """Return the value of a line, as `decode_json`, which takes three times as long; None for a
    line that isn't written as most programs write JSON.

    If writing the value gives the line again, but for spaces, then it has the same texts, signs and
    numbers: no key occurs twice, and no number has changed.
    """
    if len(line) > 2 * MAX_NESTING and (  # a shorter one can't be nested as deeply
        len(line) > MAX_QUICK or line.count("{") + line.count("[") > MAX_NESTING
    ):
        return None
    try:
        value: object = orjson.loads(line)
    except ValueError:
        return None
    written = orjson.dumps(value).decode().replace(" ", "")
    return value if written == line.strip(JSON_BLANKS).replace(" ", "") else None


def json_problem(text: str, file: Path, *, line: int | None = None) -> Problem | None:
    """Return the first problem of a JSON text; None if it is valid.

    Args:
        text: the text.
        file: its file.
        line: the line number, if the text is a single line of the file. None: the text begins at
            the file's first line.
    """
    try:
        parse_json(text)
    except TextError as error:
        problem = problem_of(error.findings[0], file)
        return problem if line is None else replace(problem, line=line)
    return None


def row_problem(
    spec: Spec,
    instance: Instance,
    message: str,
    *,
    path: str | None = None,
    hint: str | None = None,
    severity: Severity = "error",
    code: str,
) -> Problem:
    """Return a problem of an instance, with its line, or with the number of its row if the test
    document has the rows."""
    file, line = display_path(spec.folder / instance.source), instance.line
    if instance.source in DOCUMENT_NAMES:
        return Problem(f"row {line}: {message}", file, None, None, path, hint, severity, code=code)
    return Problem(message, file, line, None, path, hint, severity, code=code)


def unknown_variant(value: Mapping[str, Any], file: Path, line: int) -> Problem:
    """Return the problem of a line with an answer of a variant that there isn't."""
    message = f"is of the variant `{excerpt(value['variant'])}`, which the test doesn't have"
    return Problem(message, display_path(file), line, code="instance")


def memory_of(value: object) -> int:
    """Return approximately how many bytes a value from a data file takes in memory."""
    size, waiting = 0, [value]
    while waiting:
        inner = waiting.pop()
        size += _OBJECT_BYTES
        if isinstance(inner, str | bytes):
            size += len(inner)
        elif isinstance(inner, dict):
            size += _DICT_BYTES
            waiting += inner.values()
        elif isinstance(inner, list):
            if _are_plain(inner):
                size += _OBJECT_BYTES * len(inner)
            else:
                waiting += inner
    return size


def _are_plain(values: list[object]) -> bool:
    """Whether none of the values contains another one. Takes a tenth of the time of a loop."""
    return bool(values) and type(values[0]) in _PLAIN and _PLAIN.issuperset(map(type, values))
