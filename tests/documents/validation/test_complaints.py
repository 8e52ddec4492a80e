"""Messages for what jsonschema finds."""

from __future__ import annotations

from typing import Any

from documents.explained import JSON_VALUES, TEST
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lve.documents.validation.complaints import explain_errors
from lve.documents.validation.schema import explain_value, load_schema


@given(st.sampled_from(sorted(load_schema("test")["properties"])), JSON_VALUES)
def test_an_explanation_never_shows_a_whole_value(key: str, value: Any) -> None:
    for line in explain_value({**TEST, key: [value, "x" * 1000]}, "test"):
        assert len(line) < 400


def test_keys_that_are_guessed_wrong_are_shown() -> None:
    document = {**TEST, "check": "contains Paris", "examples": {"pass": ["Paris"]}}
    assert sorted(explain_value(document, "test")) == [
        "$.check: must be an object, not text (one check is `{contains: Paris}`; list several in"
        " `checks`)",
        "$.examples: must be a list, not an object (write `[{response: Paris, verdict: passed}]`)",
    ]


def test_a_list_that_is_too_long_is_told_its_limit() -> None:
    document = {**TEST, "checks": [{"contains": "x"}] * 101}
    (line,) = explain_value(document, "test")
    assert line == "$.checks: must have at most 100 items"


def test_all_problems_are_told_at_once() -> None:
    document = {**TEST, "repeats": 0, "skip": "", "tags": [{"name": "a"}]}
    assert sorted(explain_value(document, "test")) == [
        "$.repeats: must be at least 1, not 0",
        "$.skip: must not be empty",
        "$.tags[0]: `value` is missing",
    ]


def test_choices_between_groups_of_keys_are_explained() -> None:
    schema = {"anyOf": [{"required": ["a", "b"]}, {"required": ["c", "d"]}]}
    for value in ({}, {"a": 1}, {"c": 1}):
        errors = Draft202012Validator(schema).iter_errors(value)
        assert any("is missing" in one.message for one in explain_errors(errors)), value
