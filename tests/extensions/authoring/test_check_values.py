"""Arguments of checks, as they are typed."""

from __future__ import annotations

from typing import Any

import pytest

from lve.checkers.arguments import ArgumentError
from lve.extensions.authoring.check_questions import parsed_check, typed_value


@pytest.mark.parametrize(
    ("checker", "argument", "text", "value"),
    [
        ("contains", "contains", "yes", "yes"),
        ("contains", "contains", "a, b", "a, b"),
        ("contains", "contains", "{x}", "{x}"),
        ("contains", "ignore_case", "true", True),
        ("contains_any", "contains_any", "Paris, París", ["Paris", "París"]),
        ("contains_any", "contains_any", "[a, b]", ["a", "b"]),
        ("contains_any", "contains_any", "one", ["one"]),
        ("contains", "contains", "42", "42"),
        ("number", "number", "42", 42),
        ("number", "number", "{answer}", "{answer}"),
        ("max_words", "max_words", "12", 12),
        ("json", "json", "{a: 1}", {"a": 1}),
        ("json_schema", "json_schema", "{type: object}", {"type": "object"}),
    ],
)
def test_what_is_typed_is_what_was_meant(
    checker: str, argument: str, text: str, value: Any
) -> None:
    assert typed_value(checker, argument, text) == value


@pytest.mark.parametrize(
    ("checker", "argument", "text", "words"),
    [
        ("contains", "ignore_case", "maybe", "is true or false, not 'maybe'"),
        ("max_words", "max_words", "many", "is a whole number, not 'many'"),
        ("contains_any", "contains_any", "{names}", "is a list .* not '{names}'"),
    ],
)
def test_a_value_of_another_type_is_explained(
    checker: str, argument: str, text: str, words: str
) -> None:
    with pytest.raises(ArgumentError, match=words):
        typed_value(checker, argument, text)


def test_a_check_in_one_go() -> None:
    assert parsed_check("contains: Paris") == parsed_check("{contains: Paris}")
    for text, words in (("Paris", "name of a check"), ("a: [", "not YAML")):
        with pytest.raises(ValueError, match=words):
            parsed_check(text)
