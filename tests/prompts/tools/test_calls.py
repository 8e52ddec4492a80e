"""Arguments of tool calls: parsing them, and comparing them with those of a mock."""

from __future__ import annotations

from typing import Any

import pytest

from lve.prompts.tools.calls import MAX_ARGUMENT_CHARACTERS, arguments_of, has_values, is_equal


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        (" \n", {}),
        ("{", None),
        ("[1]", None),
        ("null", None),
        ('{"a": NaN}', None),
        ('{"a": 1, "a": 2}', None),
        ("[" * 100_000, None),
        ('{"a": "' + "x" * MAX_ARGUMENT_CHARACTERS + '"}', None),
    ],
)
def test_arguments_are_a_json_object_or_none(written: str, arguments: Any) -> None:
    assert arguments_of(written) == arguments


@pytest.mark.parametrize(
    ("value", "wanted", "has", "equal"),
    [
        ({"a": 1}, {"a": 1}, True, True),
        ({"a": 1, "b": 2}, {"a": 1}, True, False),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True, False),
        ({"a": 1}, {}, True, False),
        ({"a": 1.0}, {"a": 1}, True, True),
        ({"a": True}, {"a": 1}, False, False),
        ({"a": "1"}, {"a": 1}, False, False),
        ({"a": [1, 2]}, {"a": [1]}, False, False),
        ({"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1}]}, True, False),
        ({"a": None}, {"a": None}, True, True),
        ({}, {"a": None}, False, False),
        ({"a": 1}, {"a": {"b": 1}}, False, False),
        ({"a": "x"}, {"a": ["x"]}, False, False),
    ],
)
def test_values_are_compared_as_json(value: Any, wanted: Any, has: bool, equal: bool) -> None:
    assert has_values(value, wanted) is has
    assert is_equal(value, wanted) is equal
