"""Tests in CSV and JSONL files: variables, what cells expect, what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.assertions import MAKERS
from lve.extensions.importing.promptfoo.cases import Case, read_cases
from lve.extensions.importing.promptfoo.tables import _assertion

TYPES = frozenset(MAKERS)


def cases(folder: Path, name: str, text: str) -> tuple[list[Case], list[str]]:
    """Return the tests of a file, and what is left out."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, newline="")
    source, at = source_in(folder, {"tests": f"file://{name}"})
    return list(read_cases(source, {"tests": f"file://{name}"}, at)), source.left_out


def test_columns_are_variables_and_expectations(tmp_path: Path) -> None:
    text = (
        "city,__expected,__expected2,__description,__threshold,__metadata:topic\r\n"
        '"Rome, Italy",contains: It,"contains-any: a, b",A city.,0.5,x\r\n'
        "Oslo,Norway,,,,\r\n\r\n"
    )
    [rome, oslo], left = cases(tmp_path, "t.csv", text)
    assert left == []
    assert rome.rows == [{"city": "Rome, Italy"}]
    assert [assertion for assertion, _ in rome.asserted] == [
        {"type": "contains", "value": "It"},
        {"type": "contains-any", "value": ["a", "b"]},
    ]
    assert (rome.description, rome.threshold) == ("A city.", 0.5)
    assert [assertion for assertion, _ in oslo.asserted] == [{"type": "equals", "value": "Norway"}]
    assert (oslo.description, oslo.threshold) == ("", None)


@pytest.mark.parametrize(
    ("cell", "assertion"),
    [
        ("Paris", {"type": "equals", "value": "Paris"}),
        ("equals: a: b", {"type": "equals", "value": "a: b"}),
        ("not-contains:x", {"type": "not-contains", "value": "x"}),
        ("is-json", {"type": "is-json"}),
        ("similar(0.75): near", {"type": "similar", "value": "near", "threshold": 0.75}),
        ("latency(200)", {"type": "latency", "threshold": 200.0}),
        ("llm-rubric: be kind\nand short", {"type": "llm-rubric", "value": "be kind\nand short"}),
        ("grade: be kind", {"type": "llm-rubric", "value": "be kind"}),
        ("Note: this", {"type": "equals", "value": "Note: this"}),
        ("unheard: of", {"type": "equals", "value": "unheard: of"}),
        ("icontains-all: A , B", {"type": "icontains-all", "value": ["A", "B"]}),
    ],
)
def test_what_a_cell_expects(cell: str, assertion: dict[str, Any]) -> None:
    assert _assertion(cell, TYPES, None) == assertion


def test_a_threshold_may_have_a_column(tmp_path: Path) -> None:
    text = "q,__expected,__config:__expected:threshold\n1,similar: x,0.9\n2,similar(0.5): x,0.9\n"
    rows, left = cases(tmp_path, "t.csv", text)
    assert left == []
    assert [row.asserted[0][0]["threshold"] for row in rows] == [0.9, 0.5]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1,javascript: output.length,,", "expects javascript: output.length"),
        ("1,python: len(output),,", "which is code"),
        ("1,x,soon,", "is no number"),
        ("1,x,,Say: ", "changes what is judged"),
        ("1,x,,,5", "more cells than the header"),
        ('1,"x"y,,', "text after a closing quote"),
    ],
)
def test_a_row_that_means_more_is_told_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    text = f"q,__expected,__threshold,__prefix\n0,x,,\n{line}\n2,x,,\n"
    rows, [left] = cases(tmp_path, "t.csv", text)
    assert [row.rows for row in rows] == [[{"q": "0"}], [{"q": "2"}]]
    assert why in left
    assert "t.csv:3:1: warning: left out: " in left


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("t.csv", "", "the table has no header"),
        ("t.csv", "\n\n", "the table has no header"),
        ("t.csv", "q,__unheard,__expected\n1,x,y\n", "its column __unheard has no counterpart"),
        ("t.jsonl", "{\n", "not JSON"),
        ("t.xlsx", "", "only YAML, JSON, JSONL and CSV"),
    ],
)
def test_what_is_no_table_is_told(tmp_path: Path, name: str, text: str, why: str) -> None:
    rows, [left] = cases(tmp_path, name, text)
    assert rows == []
    assert why in left


def test_lines_of_json_are_tests(tmp_path: Path) -> None:
    line = '{"vars": {"q": "x"}, "assert": [{"type": "equals", "value": "y"}]}'
    rows, [left] = cases(tmp_path, "t.jsonl", f"{line}\n\n[\n{line}\n")
    assert len(rows) == 2
    assert "t.jsonl:3:1: warning: left out: not JSON" in left


def test_semicolons_and_a_mark_at_the_start_are_read(tmp_path: Path) -> None:
    [case], left = cases(tmp_path, "t.csv", "\ufeffq;__expected\n1;x\n")
    assert (case.rows, left) == ([{"q": "1"}], [])
