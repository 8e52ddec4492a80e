"""Checks of strict JSON, of a JSON Schema, and of the value at a path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged, only_true
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.formats.json_value import (
    check_schema,
    differs,
    shown,
    values_in,
    why_unfit,
)
from lve.checkers.search import search
from lve.data_classes import dataclass
from lve.documents.json_paths import at_step, path_steps
from lve.errors import LveError
from lve.escape import quoted
from lve.prompts.answers.object_file import read_object
from lve.spec.location import file_inside


@dataclass(frozen=True, slots=True)
class IsJson(AnswerCheck):
    """Passes if the whole answer is strict JSON. The check `json` also finds JSON in prose, and is
    more lenient."""

    is_json: bool = True
    """Always `true`."""

    examples: ClassVar = (
        CheckExample({"is_json": True}, ('{"a": [1, 2]}', " 1 "), ("{a: 1}", 'Here: {"a": 1}', "")),
    )

    def __post_init__(self) -> None:
        only_true("is_json", self.is_json)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        try:
            json.loads(response, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            return judged(False, f"not JSON: {error}")
        except (ValueError, RecursionError) as error:
            return judged(False, f"not JSON that can be read: {type(error).__name__}")
        return judged(True, "the answer is JSON")


def _no_constant(word: str) -> None:
    """Refuse NaN and Infinity, which Python's parser reads.

    Raises:
        JSONDecodeError: always.
    """
    raise json.JSONDecodeError(f"`{word}` is not a number in JSON", word, 0)


@dataclass(frozen=True, slots=True)
class JsonSchema(AnswerCheck):
    """Passes if the JSON in the answer fits a JSON Schema (draft 2020-12).

    The schema may be in a file inside the test folder. `format` is asserted.
    """

    work_per_character: ClassVar[int] = 3000

    json_schema: bool | Mapping[str, object] | str
    """The schema, or the name of a `.json` file in the test folder."""

    examples: ClassVar = (
        CheckExample(
            {"json_schema": {"type": "object", "required": ["a"]}},
            ('{"a": 1}', 'Here: ```json\n{"a": null}\n```'),
            ('{"b": 1}', "[]", "none"),
        ),
    )

    def __post_init__(self) -> None:
        if not isinstance(self.json_schema, str):
            check_schema("json_schema", self.json_schema)

    def in_folder(self, folder: Path) -> JsonSchema:
        if not isinstance(self.json_schema, str):
            return self
        return replace(self, json_schema=_schema_in(folder, self.json_schema))

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        values = values_in(response)
        if not values:
            return judged(False, f"no JSON in the answer: {quoted(response)}")
        why = why_unfit(self.json_schema, values[-1])
        return judged(why is None, why or f"fits the schema: {shown(values[-1])}")


def _schema_in(folder: Path, name: str) -> dict[str, object]:
    """Return the schema in the file `name` of a test folder.

    Raises:
        ArgumentError: the file is outside the folder, can't be read, or holds no JSON object.
    """
    path = file_inside(folder, name)
    if isinstance(path, str):
        raise ArgumentError("json_schema", f"{quoted(name)}: {path}")
    try:
        return read_object(path, folder)
    except (LveError, OSError) as error:
        raise ArgumentError("json_schema", f"{quoted(name)}: {error}") from error


@dataclass(frozen=True, slots=True)
class JsonPath(AnswerCheck):
    """Passes if the JSON in the answer has a value at this path. The value can be checked, too."""

    work_per_character: ClassVar[int] = 3000

    json_path: str
    """The path, such as `$.people[0].name`. `[-1]` is the last item of a list."""
    value: object = ...
    """The value that must be there; any value if not given."""
    matches: str | None = None
    """A regular expression (Python's `re` syntax) that the whole text of the value must match.
    Literal braces are doubled."""

    examples: ClassVar = (
        CheckExample({"json_path": "$.a[0].b"}, ('{"a": [{"b": null}]}',), ('{"a": []}', "a")),
        CheckExample({"json_path": "$.n", "value": 2}, ('{"n": 2.0}',), ('{"n": "2"}',)),
        CheckExample(
            {"json_path": "$.id", "matches": "[A-Z]+-[0-9]+"},
            ('{"id": "AB-12"}',),
            ('{"id": "see AB-12"}', '{"id": null}', '{"no": 1}'),
        ),
    )

    def __post_init__(self) -> None:
        if path_steps(self.json_path) is None:
            message = f"'json_path' is a path such as $.a[0].b, not {quoted(self.json_path)}"
            raise ArgumentError("json_path", message)
        if self.matches is not None:
            _whole(self.matches)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        values = values_in(response)
        if not values:
            return judged(False, f"no JSON in the answer: {quoted(response)}")
        value = values[-1]
        for step in path_steps(self.json_path) or ():
            try:
                value = at_step(value, step)
            except LookupError:
                return judged(False, f"{self.json_path}: there is no {step!r} in {shown(value)}")
        why = None if self.value is ... else differs(value, self.value, self.json_path)
        if why is None and self.matches is not None:
            why = _mismatch(self.matches, value, self.json_path)
        return judged(why is None, why or f"{self.json_path} is {shown(value)}")


def _whole(pattern: str) -> regexes.Pattern:
    """Return `pattern` compiled so that it matches only a whole text.

    Raises:
        ArgumentError: `pattern` is invalid.
    """
    try:
        return regexes.compile_pattern(f"(?:{pattern})\\Z", 0)
    except regexes.PatternError as error:
        raise ArgumentError("matches", f"{error} in {quoted(pattern)}") from error


def _mismatch(pattern: str, value: object, place: str) -> str | None:
    """Return why the text of a JSON value doesn't match `pattern`; None if it does."""
    if value is None or isinstance(value, dict | list):
        return f"{place} is {shown(value)}, not a text"
    text = value if isinstance(value, str) else json.dumps(value)
    match = search(_whole(pattern), text)
    fits = match is not None and match.start() == 0
    return None if fits else f"{place} is {shown(value)}, which doesn't fit {quoted(pattern)}"
