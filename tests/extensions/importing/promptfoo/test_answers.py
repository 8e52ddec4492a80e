"""Answers to judge: of what checks look for, and usual ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.importing.promptfoo.answers import USUAL, forms_of


def test_texts_of_checks_are_answers_also_cut_and_in_sentences(tmp_path: Path) -> None:
    forms = forms_of([{"contains": "Rome {city}"}, {"not": {"contains_any": ["a", "b"]}}], tmp_path)
    whole = "Rome {city} a b"
    assert forms[:7] == [whole, "Rome {city}", "", None, "ROME {city} A B", " Rome {city}\n", "a"]
    assert "The answer is Rome {city}." in forms
    assert forms[-len(USUAL) :] == [*USUAL]


def test_without_texts_the_usual_ones_remain(tmp_path: Path) -> None:
    assert forms_of([{"max_latency": "5 s"}, {"is_json": True}], tmp_path) == ["", None, *USUAL]


def test_texts_in_scripts_are_answers(tmp_path: Path) -> None:
    script = """output.includes("Paris") && /^L[iy]on\\d+/.test(output) || x === '{a}'"""
    forms = forms_of([{"promptfoo_script": script, "form": "file"}], tmp_path)
    assert {"Paris", "Lion7", "{{a}}"} <= {*forms}


@pytest.mark.parametrize(
    "pattern",
    [r"^R\w+$", r"\d{{3}}-\d+", r"(?i)yes|no", r"[A-Z]ello", r"a\.b", r"(?:x|y) z", r"colou?r"],
)
def test_patterns_get_a_match(tmp_path: Path, pattern: str) -> None:
    forms = forms_of([{"regex": pattern}], tmp_path)
    filled = [form.format() for form in forms[:2] if form is not None]
    assert any(re.search(pattern.format(), form) for form in filled)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {"a": {"enum": ["x"]}, "b": {"type": ["integer"]}}},
         {"a": "x", "b": 1}),
        ({"type": "array", "items": {"anyOf": [{"const": 3}]}}, [3]),
        ({"type": "string"}, "text"),
        (True, None),
    ],
)  # fmt: skip
def test_a_schema_gets_a_value(tmp_path: Path, schema: Any, value: object) -> None:
    (tmp_path / "schema_1.json").write_text(json.dumps(schema))
    form = forms_of([{"all": [{"is_json": True}, {"json_schema": "schema_1.json"}]}], tmp_path)[0]
    assert form is not None
    assert json.loads(form.format()) == value


def test_a_schema_without_end_or_file_is_no_crash(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {"properties": {"a": deep}}
    (tmp_path / "deep.json").write_text(json.dumps(deep))
    checks = [{"json_schema": "deep.json"}, {"json_schema": "missing.json"}]
    assert len(forms_of(checks, tmp_path)[0] or "") < 200
