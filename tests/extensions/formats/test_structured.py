"""Checks of an answer's format, beyond their examples."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.errors import SpecError
from lve.extensions.formats.structured import fences


@pytest.mark.parametrize(
    ("check", "answer", "outcome", "reason"),
    [
        ({"is_json": True}, "[" * 100_000, "failed", "not JSON"),
        ({"json_path": "a['b c'][-1]"}, '{"a": {"b c": [1, 2]}}', "passed", "is 2"),
        ({"json_path": "$.a", "value": {"b": 1}}, '{"a": {"b": 2}}', "failed", "$.a.b is 2"),
        ({"json_path": "$.a.b"}, '{"a": 1}', "failed", "there is no 'b'"),
        ({"json_path": "$.a[0]"}, '{"a": "text"}', "failed", "there is no 0"),
        ({"json_path": "$['']"}, '{"": 1}', "passed", "is 1"),
        ({"is_yaml": True}, "a: &x [1]\nb: *x", "failed", "aliases"),
        ({"is_yaml": True}, "[" * 100_000, "failed", "nested more than 100 levels"),
        ({"is_yaml": True}, "{a: [" * 50 + "1" + "]}" * 50, "passed", ""),
        ({"csv": True}, "a,b", "failed", "a header and at least one row"),
        ({"csv": {"columns": 2}}, "a,b\n1,2", "passed", "1 row of 2 columns"),
        ({"csv": {"columns": 3}}, "a,b\n1,2", "failed", "2 columns, expected 3"),
        ({"csv": {"delimiter": ";"}}, "a;b\n1;2", "passed", ""),
        ({"csv": {"columns": ["a", "b"]}}, "\ufeffa,b\n1,2", "passed", "1 row"),
        ({"csv": True}, "name;age\nAnn;30", "failed", "nothing is separated by ','"),
        ({"csv": {"rows": 1}}, "name\nAnn", "failed", "a single column has to be in 'columns'"),
        ({"csv": {"columns": ["name"]}}, "name\nAnn", "passed", "1 row of 1 column"),
        ({"csv": True}, "| a, b |\n|---,---|\n| 1, 2 |", "failed", "a table between bars"),
        ({"csv": {"delimiter": "|"}}, "|a\n|1", "passed", "1 row of 2 columns"),
        ({"csv": True}, "Here it is, as asked:\na,b\n1,2", "failed", "begins with a sentence"),
        ({"csv": True}, "a,b\n1,2\n\nI hope, it is right.", "failed", "ends with a sentence"),
        ({"csv": True}, "a,b\n1,2\n\n2,It is late. He goes.", "passed", "2 rows of 2"),
        ({"csv": True}, "I can't do that, I am sorry.\nAsk me, please.", "failed", "a sentence"),
        ({"csv": True}, "Sorry, I can't.\nNo, really.", "failed", "a sentence"),
        (
            {"csv": True},
            "1. apples, pears\n2. plums, figs",
            "failed",
            "begins with a sentence or item",
        ),
        ({"csv": True}, "id,Ref. no.\n1,2", "passed", "1 row of 2 columns"),
        ({"csv": True}, "<think>a, b\nc</think>a,b\n1,2", "passed", "1 row of 2 columns"),
        ({"csv": True}, "<think>a,b\n1,2", "failed", "not a table"),
        ({"csv": True}, "Here:\n~~~csv\na,b\n1,2\n~~~", "passed", "1 row of 2 columns"),
        ({"csv": True}, "```csv\na,b\n1,2", "passed", "1 row of 2 columns"),
        ({"csv": True}, "```csv\na,b\n1,2\n```\nRun:\n```sh\ncat x\n```", "passed", "1 row"),
        ({"is_xml": True}, "```xml\n<a/>\n```\n```sh\nls\n```", "passed", ""),
        ({"is_yaml": True}, "<think>- a</think>no list", "failed", "not a YAML mapping or list"),
        ({"code_fence": "python"}, "<think>```python\nx\n```</think>No.", "failed", "none"),
        ({"code_fence": "Python"}, "1. So:\n   ```python\n   x\n   ```", "passed", "python"),
        ({"csv": True}, "a,b\r1,2\r", "passed", "1 row"),
        ({"csv": True}, 'a,b\n1,2\n"x" y,2', "failed", "line 3"),
        ({"csv": True}, 'a,b\n"say \\"hi\\"",2', "failed", "line 2"),
        ({"is_json": True}, "NaN", "failed", "`NaN` is not a number in JSON"),
        ({"is_json": True}, '{"a": [-Infinity]}', "failed", "`-Infinity`"),
        ({"code_fence": True}, "```\nx\n```", "passed", "no language"),
        ({"json_schema": {"type": "integer"}}, "3", "passed", "fits"),
    ],
)
def test_verdicts(
    check: dict[str, Any], answer: str, outcome: str, reason: str, tmp_path: Path
) -> None:
    found = judge_answers(judge_of(check, tmp_path), answer)
    assert found.outcome == outcome
    assert reason in found.reason


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"is_json": False}, "'is_json' is true (use {not: {is_json: true}})"),
        ({"json_path": "$..a"}, "'json_path' is a path"),
        ({"json_schema": {"type": "x"}}, "not a usable JSON Schema"),
        ({"csv": False}, "'csv' is true or an object (use {not: {csv: true}})"),
        ({"code_fence": ""}, "'code_fence' is true or a language (use {not: {code_fence: true}})"),
        ({"csv": {"colums": 2}}, "'csv' has no key 'colums'"),
        ({"csv": {"delimiter": "ab"}}, "'delimiter' is one character"),
    ],
)
def test_mistakes_are_explained(check: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of(check, tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize("mark", ["~", "`", " "])
def test_a_long_line_of_marks_of_a_fence_takes_linear_time(mark: str) -> None:
    began = time.process_time()
    assert fences(mark * 200_000) == []
    assert time.process_time() - began < 2
