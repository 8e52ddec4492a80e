"""The fast path of filling gives the same result as the slow one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lve.errors import PromptError
from lve.prompts.fill import parse_template
from lve.prompts.fill_texts import text_filler
from lve.prompts.size import MAX_CHARACTERS

TEXTS = ("{a}", "{a} and {b}", "100 % of {a}, %s and %(x)s", "{{a}} {b}{b}", "{a!r} {b[0]} {a:>9}")
VALUES: tuple[Mapping[str, Any], ...] = (
    {"a": "x", "b": "y"},
    {"a": "{b} %s {{", "b": "100 %", "c": "more"},
    {"a": "é\ud800", "b": "two\nlines"},
    {"a": 5, "b": ["a list"]},
    {"a": type("Text", (str,), {"__format__": lambda *_: "formatted"})("x"), "b": "y"},
    {"a": "again a text", "b": "y"},
)


@pytest.mark.parametrize("text", TEXTS)
def test_each_time_fills_as_the_first(text: str) -> None:
    often = parse_template(text)
    for values in VALUES * 3:
        parse_template.cache_clear()
        assert often.fill(values) == parse_template(text).fill(values) == text.format_map(values)


def test_a_text_without_placeholders_stays_as_it_is() -> None:
    often = parse_template("50 % {{of}} nothing")
    assert [often.fill({"a": "x"}) for _ in range(4)] == ["50 % {of} nothing"] * 4


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": "x"}, "parameter 'b' has no value"),
        ({"a": "x" * MAX_CHARACTERS, "b": "y"}, "more than"),
    ],
)
def test_refuses_in_the_same_words_however_often_it_was_filled(
    values: dict[str, Any], words: str
) -> None:
    often = parse_template("{a}{b}")
    for _ in range(4):
        assert often.fill({"a": "x", "b": "y"}) == "xy"
        with pytest.raises(PromptError, match=words):
            often.fill(values)


def test_counts_literals_and_values_before_it_builds_anything() -> None:
    fill_texts = text_filler(["ab", None, "c", None], ["x", "y"], 7)
    assert fill_texts({"x": "12", "y": "34"}) == "ab12c34"
    assert fill_texts({"x": "12", "y": "345"}) is None
    assert fill_texts({"x": "12"}) is None
    assert fill_texts({"x": "12", "y": 3}) is None
