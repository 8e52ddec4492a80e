"""Hints for misplaced keys and values of a wrong type. Whole documents: tests/cases/invalid/."""

from __future__ import annotations

import pytest

from lve.documents.position_types import JsonPath
from lve.documents.validation.hints import hint_for_key, hint_for_number, hint_for_type

OF_TEST = {"default_model_args": 1, "expect": 1, "model": 1}
OF_ENTRY = {"model": 1, "args": 1, "expect": 1}


@pytest.mark.parametrize(
    ("key", "known", "hint"),
    [
        ("temperature", OF_TEST, "write `default_model_args: {temperature: ...}`"),
        ("temperature", OF_ENTRY, "write `args: {temperature: ...}`"),
        ("temperature", {"role": 1, "content": 1}, None),
        ("pass_rate", OF_ENTRY, "write `expect: {pass_rate: 0.9}`"),
        ("pass_rate", {"content": 1}, None),
        ("default_model_args", OF_ENTRY, "an entry of `models` has them in `args`"),
        ("surprise", OF_TEST, None),
    ],
)
def test_a_hint_is_given_where_the_object_has_the_place(
    key: str, known: dict[str, int], hint: str | None
) -> None:
    assert hint_for_key(key, known) == hint


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        (("tags",), "high", "write `[{name: severity, value: high}]`"),
        (("tags", 0), "high", "write `{name: severity, value: high}`"),
        (("tags", 0, "name"), 3, None),
        (("matrix", "x"), "1-3", "write the values as a list: `[one, other]`"),
        (("check",), {"a": None}, None),
        ((), "text", None),
        (("model",), ["a", "b"], "list several models in `models`"),
        (("model",), 3, None),
    ],
)
def test_the_hint_of_a_path(path: JsonPath, value: object, hint: str | None) -> None:
    assert hint_for_type(path, value) == hint


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("3", "write 3, without quotes"),
        ("-0.5", "write -0.5, without quotes"),
        ("30s", "write 30, without its unit"),
        ("30 s", "write 30, without its unit"),
        ("three", None),
        ("3 or 4", None),
        (3, None),
    ],
)
def test_a_text_that_reads_as_a_number(value: object, hint: str | None) -> None:
    assert hint_for_number(value) == hint
