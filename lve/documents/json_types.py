"""Names of JSON types for messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TYPE_WORDS: Mapping[str, str] = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""JSON Schema's name of a type -> words."""
_CONSTANTS = {None: "null", True: "true", False: "false"}


def json_type(value: Any) -> str:
    """Return the JSON type of a value in words; for null, true and false, the value itself.

    For a value that JSON doesn't have, such as a date in a row, return its Python type.
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
