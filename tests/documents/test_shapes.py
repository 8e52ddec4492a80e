"""Hints for values of a wrong type. Whole documents: tests/cases/invalid/shapes-guessed-wrong."""

from __future__ import annotations

import pytest

from lve.documents.places import JsonPath
from lve.documents.shapes import as_number, hint_of_shape


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        (("tags",), "high", "write `[{name: severity, value: high}]`"),
        (("tags", 0), "high", "write `{name: severity, value: high}`"),
        (("tags", 0, "name"), 3, None),
        (("matrix", "x"), "1-3", "write the values as a list: `[one, other]`"),
        (("check",), {"a": None}, None),
        ((), "text", None),
        (("model",), ["a", "b"], "several models stand in `models`"),
        (("model",), 3, None),
    ],
)
def test_the_hint_of_a_path(path: JsonPath, value: object, hint: str | None) -> None:
    assert hint_of_shape(path, value) == hint


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
    assert as_number(value) == hint
