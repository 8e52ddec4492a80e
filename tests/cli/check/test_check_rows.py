"""`lve check` of tests with more rows than it looks at by itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_dataset_test, write_test

from lve.cli.check.command import MAX_ROWS


def check(*args: str) -> tuple[int, str]:
    """Return exit code and output."""
    code, output, errors = call("check", *args)
    assert errors == ""
    return code, output


@pytest.fixture
def rows(root: Path) -> Path:
    """As many rows of a test as are looked at."""
    folder = write_test(
        root / "t",
        prompt=[{"content": "{x}"}],
        prompt_parameters=["x"],
        dataset="rows.jsonl",
    )
    (folder / "rows.jsonl").write_text('{"x": "1"}\n' * MAX_ROWS, encoding="utf-8")
    return folder / "rows.jsonl"


def test_rows_that_were_not_looked_at_are_told(rows: Path) -> None:
    assert check("t") == (0, "1 test: all valid\n")
    with rows.open("a", encoding="utf-8") as file:
        file.write("{wrong\n")
    assert check("t") == (
        0,
        "t/test.json: warning: only the first 10,000 rows were checked "
        "(`lve check --all-rows` checks all) [partly_checked]\n"
        "1 test: all valid\n",
    )
    (test,) = json.loads(check("t", "--json")[1])["tests"]
    assert test["problems"][0]["severity"] == "warning"


def test_all_rows_can_be_looked_at(rows: Path) -> None:
    with rows.open("a", encoding="utf-8") as file:
        file.write("{wrong\n")
    code, output = check("t", "--all-rows")
    assert code == 2
    assert output.startswith("t/rows.jsonl:10001:2: ")
    assert output.endswith("\n1 test: 1 with problems\n")
    assert "only the first" not in output


def test_what_the_templates_of_a_test_lose_is_told(root: Path) -> None:
    write_dataset_test(
        root / "t",
        [{"q": "a", "answer": "x"}],
        reader_cfg={"input_columns": ["q"], "output_column": "answer"},
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
        inferencer={"type": "GenInferencer", "temperature": 1},
    )
    code, output = check("t")
    assert code == 0
    place = re.search(r"test.json:(\d+):(\d+): warning: (.*)", output)
    assert place is not None
    assert place[3].startswith("$.infer_cfg.inferencer.temperature: `temperature` has no effect")
    line = (root / "t" / "test.json").read_text("utf-8").splitlines()[int(place[1]) - 1]
    assert line[int(place[2]) - 1 :].startswith("1")


def test_rows_whose_data_gets_lost_are_told(root: Path) -> None:
    write_dataset_test(
        root / "t",
        [{"q": "a", "answer": "x"}, *[{"answer": "x"}] * 12],
        reader_cfg={"input_columns": ["q"], "output_column": "answer"},
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
    )
    code, output = check("t")
    assert code == 0
    assert "warning: row 2: column 'q' has no value: the prompt says None" in output
    assert "row 13" not in output
    assert "more warnings like these about its rows (`lve render` shows all)" in output


def test_a_line_that_is_broken_hides_none_below(rows: Path) -> None:
    rows.write_text('{wrong\n{"x": "1"}\n{"y": "1"}\n{wrong\n', encoding="utf-8")
    code, output = check("t")
    assert code == 2
    assert re.findall(r"rows.jsonl:(\d)", output) == ["1", "3", "4"]
