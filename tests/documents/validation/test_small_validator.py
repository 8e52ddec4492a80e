"""The validator of a start's first documents never says that a wrong one is valid."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lve.documents.validation import schema as schemas
from lve.documents.validation.schema import FIRST, quick_verdict
from lve.documents.validation.small_validator import is_surely_valid

REPOSITORY = Path(__file__).parents[3] / "repository"
NAMES = ("test", "session", "settings", "result", "models", "instance", "session_test")
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 0.5, -1.5, 1e300, float("nan"), 2**70, 10**400, float("inf")]),
    st.sampled_from(["", "a", "user", "assistant", "é", "a\n", "\ud800", "run", "{x}", "x" * 300]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "content", "role", "x", "type"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@cache
def documents() -> list[Any]:
    """Return valid documents of all kinds that the repository has."""
    tests = [json.loads(p.read_text()) for p in sorted(REPOSITORY.rglob("test.json"))]
    return [*tests, {"model": "m", "checks": [{"equals": "4"}], "prompt": "2+2?"}]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in a value, with each of its keys or indexes."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in list(members):
        yield value, key
        if isinstance(member, dict | list):
            yield from places(member)


def changed(value: Any, data: st.DataObject) -> Any:
    """Return a value with up to three small changes."""
    whole = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(0, 3))):
        holder, key = data.draw(st.sampled_from([*places({"": whole})]))
        if key == "":
            continue
        change = data.draw(st.sampled_from(["replace", "drop", "add", "twice"]))
        if change == "replace":
            holder[key] = data.draw(VALUES)
        elif change == "drop":
            del holder[key]
        elif isinstance(holder, list):
            holder.append(data.draw(VALUES) if change == "add" else holder[key])
        else:
            new = data.draw(st.sampled_from(sorted(schemas.load_schema("test")["properties"])))
            holder[new] = data.draw(VALUES) if change == "add" else holder[key]
    return whole


@cache
def library(name: str) -> Any:
    return jsonschema_rs.Draft202012Validator(schemas._schema(name))


def agrees(value: object, name: str) -> bool:
    """Return whether a value is surely valid; fail if the library says that it isn't."""
    says = is_surely_valid(value, schemas._schema(name))
    if says:
        assert library(name).is_valid(value), value
    return says


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_document_that_it_calls_valid_is_valid(data: st.DataObject) -> None:
    agrees(changed(data.draw(st.sampled_from(documents())), data), "test")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(NAMES), VALUES)
def test_no_schema_has_a_value_that_only_it_calls_valid(name: str, value: object) -> None:
    agrees(value, name)


KEYWORDS: list[dict[str, Any]] = [
    {"type": ["integer", "null"]},
    {"type": "integer"},
    {"type": "number"},
    {"enum": [1, "a", None, False]},
    {"const": 1},
    {"const": True},
    {"properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "number"}},
    {"properties": {"x": False}, "additionalProperties": False},
    {"required": ["x"]},
    {"dependentRequired": {"name": ["x"]}},
    {"items": {"type": "string"}},
    {"uniqueItems": True},
    {"uniqueItems": False},
    {"pattern": "^[a-z]*$"},
    {"pattern": r"^\w$"},
    {"$ref": "#/$defs/a"},
    {"anyOf": [{"type": "string"}, {"minimum": 1}]},
    {"oneOf": [{"type": "number"}, {"minimum": 1}]},
    {"allOf": [{"maximum": 2}, {"minimum": 1}]},
    {"not": {"type": "string"}},
    {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "array"}},
    {"if": {"type": "string"}, "else": False},
    {"minLength": 1, "maxLength": 4},
    {"minItems": 1, "maxItems": 2},
    {"minProperties": 1, "maxProperties": 2},
    {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"maximum": 1},
    {"minimum": 1},
    {"prefixItems": [{"type": "string"}]},
    {"format": "date"},
]


@pytest.mark.parametrize("schema", KEYWORDS, ids=str)
@settings(max_examples=25, deadline=None)
@given(value=VALUES)
def test_each_keyword_means_what_it_means_to_the_library(
    schema: dict[str, Any], value: object
) -> None:
    whole = {**schema, "$defs": {"a": {"type": "string", "minLength": 1}}}
    if is_surely_valid(value, whole):
        assert jsonschema_rs.Draft202012Validator(whole).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "valid"),
    [
        ({"type": ["integer", "null"]}, [1, None, 1.0]),
        ({"enum": [1, "a", None, False]}, [1, 1.0, "a", None, False]),
        ({"oneOf": [{"type": "number"}, {"type": "string"}]}, [1, "a"]),
        ({"not": {"type": "string"}}, [1, [], {}]),
        (
            {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "array"}},
            ["a", []],
        ),
        ({"uniqueItems": True}, [["a", "b"], [1], 5]),
        ({"pattern": "^[a-z]*$"}, ["abc", 1]),
        ({"$ref": "#/$defs/a"}, ["x"]),
        (
            {"minLength": 1, "minItems": 1, "minProperties": 1, "minimum": 1},
            ["a", [1], {"x": 1}, 2],
        ),
        ({"dependentRequired": {"name": ["x"]}}, [{"x": 1}, {"name": 1, "x": 2}]),
        ({"properties": {"x": {"type": "string"}}, "additionalProperties": False}, [{"x": "a"}, 3]),
    ],
    ids=str,
)
def test_what_is_ordinary_is_called_valid(schema: dict[str, Any], valid: list[object]) -> None:
    whole = {**schema, "$defs": {"a": {"type": "string"}}}
    assert [value for value in valid if not is_surely_valid(value, whole)] == []


UNUSUAL = [(1,), b"", "\ud800", {1: 2}, {"\ud800": 1}, 2**53, -(2**60), float("nan"), float("-inf")]


@pytest.mark.parametrize("value", UNUSUAL, ids=ascii)
def test_values_that_json_has_not_are_left_to_the_libraries_wherever_they_are(value: Any) -> None:
    within: list[Any] = [value, [value], [1, value], {"a": value}, {"a": {"b": [value]}}]
    assert [v for v in within if is_surely_valid(v, {"title": "anything"})] == []
    assert is_surely_valid([2**53 - 1, {"é": "é"}, -0.5, None, True], {"title": "anything"})


def test_deep_values_and_wrong_patterns_are_left_to_the_libraries() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert not is_surely_valid(deep, {})
    assert not is_surely_valid("a", {"pattern": "("})
    for place in ("https://example.org/", "#/$defs/b", "#/properties/a", "#", "a"):
        assert not is_surely_valid("a", {"$ref": place, "$defs": {"a": True}}), place
    assert is_surely_valid("a", {"$ref": "#/$defs/a", "$defs": {"a": True}})


def test_nearly_all_tests_of_the_repository_need_no_library() -> None:
    said = [agrees(document, "test") for document in documents()]
    assert said.count(True) >= 0.95 * len(said)


def test_the_library_decides_after_the_first_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(schemas, "_looks", type(schemas._looks)())
    monkeypatch.setattr(schemas, "is_surely_valid", lambda *args: asked.append(args) or True)
    assert all(quick_verdict({}, "test") for _ in range(FIRST))
    assert quick_verdict({}, "test") is False
    assert len(asked) == FIRST
