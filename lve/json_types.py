"""JSON's types: as Python's, their names in messages, and the equality of their values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

JsonValue: TypeAlias = (
    "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)
"""What a JSON document may hold: lists are `list`, objects are `dict`, but are only read here."""
JsonObject: TypeAlias = Mapping[str, JsonValue]
"""An object in a JSON document. What its members are has to be looked at before they are used;
for an object of known members, define a TypedDict."""
TYPE_WORDS: Mapping[str, str] = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""Type in JSON Schema -> its name in messages."""
_CONSTANTS = {None: "null", True: "true", False: "false"}


def json_type(value: object) -> str:
    """Return the JSON type of a value as messages show it: `a list`.

    For null, true and false, return the value itself. For values that JSON doesn't have, such as a
    date in a row, return the Python type.
    """
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, str):
        return TYPE_WORDS["string"]
    if isinstance(value, int | float):
        return TYPE_WORDS["number"]
    if isinstance(value, list):
        return TYPE_WORDS["array"]
    return TYPE_WORDS["object"] if isinstance(value, Mapping) else type(value).__name__


def as_object(value: object) -> JsonObject:
    """Return a JSON object; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def repeated(items: Sequence[object]) -> Iterator[int]:
    """Yield the index of each item that equals an earlier one, as JSON Schema compares them: 1 and
    1.0 are the same number, 1 and true are not."""
    spellings: set[str] = set()
    for index, item in enumerate(items):
        # Texts are compared because their hashes are random; numbers can be chosen to collide.
        spelled = json.dumps(_plain(item), sort_keys=True)
        if spelled in spellings:
            yield index
        spellings.add(spelled)


def _plain(value: object) -> object:
    """Return a value in which integral floats are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value
