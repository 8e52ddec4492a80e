"""Which items of a list are there twice."""

from __future__ import annotations

from typing import Any

import pytest

from lve.documents.unique_items import repeated


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
