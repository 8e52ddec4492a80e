"""JSON in the answers of models."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.prompts.answers import json_lenient
from lve.prompts.answers.json_lenient import find_json, json_candidates


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("12", 12),
        ('"x"', "x"),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('Sure:\n```json\n{"a": 1}\n```\nDone {x}.', {"a": 1}),
        ("```\n[1, 2]\n```", [1, 2]),
        ('{"code": "```\\n[1]\\n```"}', {"code": "```\n[1]\n```"}),
        ('{"code": "```\n[1]\n```"}', {"code": "```\n[1]\n```"}),
        ('The answer is {"a": {"b": [1]}}, I think.', {"a": {"b": [1]}}),
        ('{"a": 1', None),
        ("{not json} but [1]", [1]),
        ('{ "a": "}" } tail', {"a": "}"}),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
        ('So: {"a": "one\ntwo"}.', {"a": "one\ntwo"}),
    ],
)
def test_json_is_found(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(ValueError, match="no JSON in the answer"):
            find_json(text)
    else:
        assert find_json(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "it is empty"), ("none", "Expecting value at line 1"), ('{"a" 1}', "Expecting ':'")],
)
def test_the_message_says_where_reading_stopped(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        find_json(text)


def test_candidates_come_from_left_to_right() -> None:
    assert list(json_candidates('see [1]: {"a": [2]} or {"b": 3}')) == [[1], {"a": [2]}, {"b": 3}]


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, "{" * 50_000, "1" * 100_000])
def test_hostile_answers_do_no_harm(text: str) -> None:
    assert list(json_candidates(text)) == []


def test_an_answer_is_read_as_often_as_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lenient, "MAX_PASSES", 1)
    assert list(json_candidates('{"never closed [1]')) == [[1]]
    assert list(json_candidates('{"never {"closed [1]')) == []


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    list(json_candidates(text))


@given(
    before=st.text(st.characters(exclude_characters="{}[]`")),
    value=st.dictionaries(st.text(), st.integers() | st.text(), min_size=1),
)
def test_an_object_after_prose_is_found(before: str, value: dict[str, Any]) -> None:
    assert find_json("x" + before + json.dumps(value)) == value
