"""JSON's types in words."""

from datetime import date
from typing import Any

import pytest

from lve.documents.json_types import json_type


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
