"""Checks of JSON by a schema in a file, or by a pattern for a field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

from lve.errors import SpecError

SCHEMA = {"type": "object", "required": ["a"]}


def test_a_schema_stands_in_a_file_of_the_test(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    judge = judge_of({"json_schema": "s.json"}, tmp_path)
    assert judge_answers(judge, '{"a": 1}').passed
    assert judge_answers(judge, '{"b": 1}').outcome == "failed"
    nested = judge_of({"not": {"json_schema": "s.json"}}, tmp_path)
    assert judge_answers(nested, '{"b": 1}').passed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.json", "none.json"),
        ("../outside.json", "outside"),
        ("link.json", "outside"),
        ("broken.json", "not JSON"),
        ("list.json", "object"),
        ("wrong.json", "not a usable JSON Schema"),
    ],
)
def test_an_unusable_file_is_reported(name: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (tmp_path / "outside.json").write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "wrong.json").write_text('{"type": "x"}', encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        judge_of({"json_schema": name}, folder)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ('{"id": "AB-1"}', "passed"),
        ('{"id": "AB-1\\n"}', "failed"),
        ('{"id": "xAB-1"}', "failed"),
        ('{"id": ["AB-1"]}', "failed"),
        ('{"id": 12}', "failed"),
        ("[]", "failed"),
    ],
)
def test_a_field_fits_a_pattern_as_a_whole(answer: str, outcome: str, tmp_path: Path) -> None:
    judge = judge_of({"json_path": "$.id", "matches": "[A-Z]{{2}}-[0-9]|none"}, tmp_path)
    assert judge_answers(judge, answer).outcome == outcome


def test_numbers_and_constants_have_a_text(tmp_path: Path) -> None:
    judge = judge_of({"json_path": "$.n", "matches": "1[0-9]|true"}, tmp_path)
    assert judge_answers(judge, '{"n": 12}').passed
    assert judge_answers(judge, '{"n": true}').passed


def test_an_invalid_pattern_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"\$\.check\.matches"):
        judge_of({"json_path": "$.n", "matches": "("}, tmp_path)


@pytest.mark.parametrize("answer", ['{"n": NaN}', '{"a": [{"b": -Infinity}]}', "Here: [Infinity]"])
@pytest.mark.parametrize("check", ["json_schema", "json"])
def test_no_schema_takes_what_is_no_number_in_json(check: str, answer: str, tmp_path: Path) -> None:
    schema = {"properties": {"n": {"type": "number", "maximum": 5}}}
    judge = judge_of({check: schema if check == "json_schema" else {"schema": schema}}, tmp_path)
    verdict = judge_answers(judge, answer)
    assert verdict.outcome == "failed"
    assert "no numbers in JSON" in verdict.reason
