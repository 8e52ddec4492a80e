"""Names of JSON's types, and equality of its values."""

from datetime import date
from typing import Any

import pytest

from lve.json_types import json_type, repeated


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "text"),
        (0, "a number"),
        (1.5, "a number"),
        (False, "false"),
        (True, "true"),
        (None, "null"),
        ([], "a list"),
        ({}, "an object"),
        (date(2026, 1, 1), "date"),
    ],
)
def test_every_type_has_its_words(value: Any, words: str) -> None:
    assert json_type(value) == words


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], []),
        (["a", "b", "a", "a"], [2, 3]),
        ([1, 1.0, "1"], [1]),
        ([1, True, 0, False], []),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1.0}], [1]),
        ([[1, 2], [2, 1]], []),
        ([None, "null", None], [2]),
    ],
)
def test_items_are_compared_as_a_schema_does(items: list[Any], expected: list[int]) -> None:
    assert list(repeated(items)) == expected
