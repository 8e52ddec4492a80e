"""The check `json`; tests/cases/verdicts/json.json has answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.library.formats.json_value import differs
from lve.errors import SpecError


@pytest.mark.parametrize(
    ("value", "wanted", "found"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, None),
        ({"a": 1}, {"a": True}, "$.a is 1, expected true"),
        ({"a": 1.0}, {"a": 1}, None),
        ({}, {"a": {"b": 1}}, "$.a is missing"),
        ([], {"a": 1}, "$ is [], not an object"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "$.a[1].b is 2, expected 3"),
        ([1], [1, 2], "$ is [1], expected [1, 2]"),
    ],
)
def test_differences_have_a_place(value: Any, wanted: Any, found: str | None) -> None:
    assert differs(value, wanted) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (False, "'json' is true or an object"),
        ({"shema": {}}, "'json' has no key 'shema' (did you mean `schema`?)"),
        ({"schema": {"type": "objekt"}}, "not a usable JSON Schema"),
        ("x", "'json' is true or false or an object"),
    ],
)
def test_mistakes_are_explained(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of({"json": given}, tmp_path)
    assert message in str(caught.value)


def test_the_reason_names_the_place(tmp_path: Path) -> None:
    judge = judge_of({"json": {"schema": {"properties": {"a": {"type": "string"}}}}}, tmp_path)
    assert "$.a" in judge_answers(judge, '{"a": 1}').reason


def test_a_long_schema_is_checked_in_the_other_process(tmp_path: Path) -> None:
    schema = {"items": {"properties": {f"p{n}": {"type": "integer"} for n in range(50)}}}
    judge = judge_of({"json": {"schema": {"type": "array", **schema}}}, tmp_path)
    try:
        answer = "[" + ",".join('{"p1": 1, "p2": 2}' for _ in range(500)) + "]"
        assert judge_answers(judge, answer).passed
    finally:
        judge.stop()


PYTHON = '```python\nd = {"a": 2}\n```'


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('```json\n{"a": 1}\n```\n\nExample usage:\n' + PYTHON, 1),
        ('```json {"a": 1}``` Example usage: ```python d = {"a": 2}```', 1),
        (PYTHON + '\n\nprints\n\n~~~JSON\n{"a": 1}\n~~~', 1),
        ('```json\n{"a": 1}\n```\nCorrected:\n```\n{"a": 2}\n```', 2),
        ('```json\n{"a": 1}\n```\nNo, it is {"a": 2}.', 2),
        (PYTHON, 2),
        ('<think>{"a": 2}</think>{"a": 1}', 1),
        ('{"a": 1}\n\nQuestion: the next one?\n\n{"a": 2}', 1),
        ('{\n  question: "why?",\n  a: 1}', 1),
    ],
)
def test_code_beside_a_fence_of_json_is_no_answer(answer: str, value: int, tmp_path: Path) -> None:
    judge = judge_of({"json": {"equals": {"a": value}}}, tmp_path)
    assert judge_answers(judge, answer).reason.startswith("found")


def test_a_citation_beside_a_fence_is_no_list(tmp_path: Path) -> None:
    judge = judge_of({"json": {"equals": [1, 2]}}, tmp_path)
    assert judge_answers(judge, "```json\n[1, 2]\n```\nThe order is that of [3].").passed
    assert judge_answers(judge, "```json\n[3]\n```\nNo: [1, 2].").passed


def test_reasoning_that_was_cut_off_holds_no_answer(tmp_path: Path) -> None:
    judge = judge_of({"json": True}, tmp_path)
    assert judge_answers(judge, '<think>I could say {"a": 1}, but').outcome == "failed"
