"""Each keyword with each kind of value: what the small validator says is what jsonschema-rs says,
and only what it can't read is left to that."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from lve.documents.validation.small_validator import is_surely_valid

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 1.0, 1.5, 2.5, "", "a", "ab", "abc", "1", "B"),
    *([], [1], ["a"], ["a", "a"], ["a", "b"], ["a", "b", "c"], [[1]], [1.5], [None, True]),
    *({}, {"a": 1}, {"a": "x"}, {"a": 1, "b": 2}, {"b": 2}, {"c": None}, {"a": {"a": 1}}),
    {"a": 1, "b": 2, "c": 3},
)
SCHEMAS: tuple[dict[str, Any], ...] = (
    *({"type": kind} for kind in ("object", "array", "string", "boolean", "null", "number")),
    *({"type": "integer"}, {"type": ["integer", "string"]}, {"type": ["number", "null"]}),
    *({"enum": [1, "a", None]}, {"enum": [True]}, {"enum": []}, {"const": 1}, {"const": False}),
    *({"const": "a"}, {"properties": {"a": {"type": "integer"}}}, {"properties": {"a": False}}),
    {"properties": {"a": {}}, "additionalProperties": False},
    {"additionalProperties": {"type": "integer"}},
    *({"required": ["a"]}, {"required": ["a", "b"]}, {"required": []}),
    {"dependentRequired": {"a": ["b"]}},
    *({"items": {"type": "string"}}, {"items": False}, {"items": {"items": {"const": 1}}}),
    *({"uniqueItems": True}, {"uniqueItems": False}, {"pattern": "^a"}, {"pattern": "b$"}),
    *({f"{end}Length": n} for end in ("min", "max") for n in (0, 1, 2)),
    *({f"{end}Items": n} for end in ("min", "max") for n in (0, 1, 2)),
    *({f"{end}Properties": n} for end in ("min", "max") for n in (0, 1, 2)),
    *({name: n} for name in ("minimum", "maximum") for n in (1, 1.5)),
    *({name: n} for name in ("exclusiveMinimum", "exclusiveMaximum") for n in (1, 1.5)),
    {"anyOf": [{"type": "string"}, {"minimum": 2}]},
    {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
    {"allOf": [{"type": "integer"}, {"minimum": 2}]},
    *({"not": {"type": "string"}}, {"not": {}}),
    {"if": {"type": "integer"}, "then": {"minimum": 1}, "else": {"type": "string"}},
    *({"if": {"type": "integer"}, "then": False}, {"if": {"type": "integer"}, "else": False}),
    {"$ref": "#/$defs/d", "$defs": {"d": {"type": "integer"}}},
    {"items": {"$ref": "#/$defs/d"}, "$defs": {"d": {"required": ["a"]}}},
    *({"title": "t", "description": "d", "examples": [1], "default": 1, "deprecated": True}, {}),
)
UNREAD = ({"multipleOf": 2}, {"const": {"a": 1}}, {"enum": [["a"]]}, {"$ref": "#/x"})


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_the_verdict_is_that_of_the_library(schema: dict[str, Any]) -> None:
    library = jsonschema_rs.Draft202012Validator(schema)
    verdicts = [is_surely_valid(value, schema) for value in VALUES]
    expected = [library.is_valid(value) for value in VALUES]
    unsure = [
        (isinstance(value, list | dict) and ("enum" in schema or "const" in schema))
        or (isinstance(value, list) and schema.get("uniqueItems") is True and not _texts(value))
        for value in VALUES
    ]  # fmt: skip
    assert [verdict for verdict, no in zip(verdicts, unsure, strict=True) if not no] == [
        verdict for verdict, no in zip(expected, unsure, strict=True) if not no
    ]
    assert not any(verdict for verdict, no in zip(verdicts, unsure, strict=True) if no)


def _texts(value: list[Any]) -> bool:
    return len(value) < 2 or all(isinstance(item, str) for item in value)


@pytest.mark.parametrize("schema", UNREAD, ids=str)
def test_what_it_cannot_read_is_never_valid(schema: dict[str, Any]) -> None:
    assert not any(is_surely_valid(value, schema) for value in ({"a": 1}, ["a"], 2, 4))
