"""What a schema complains about, in words."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.explained import JSON_VALUES, TEST

from lve.documents.schema import explain_value, load_schema


@given(st.sampled_from(sorted(load_schema("test")["properties"])), JSON_VALUES)
def test_an_explanation_never_shows_a_whole_value(key: str, value: Any) -> None:
    for line in explain_value({**TEST, key: [value, "x" * 1000]}, "test"):
        assert len(line) < 400


def test_all_problems_are_told_at_once() -> None:
    document = {**TEST, "repeats": 0, "skip": "", "tags": [{"name": "a"}]}
    assert sorted(explain_value(document, "test")) == [
        "$.repeats: must be at least 1, not 0",
        "$.skip: must not be empty",
        "$.tags[0]: `value` is missing",
    ]
