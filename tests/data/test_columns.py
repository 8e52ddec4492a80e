"""The columns of a data set, read before the test runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test, write_test

from lve.data.columns import first_columns
from lve.spec.load import load_spec


def columns(folder: Path, dataset: Any, **document: Any) -> frozenset[str] | None:
    test = write_test(folder / "t", dataset=dataset, **document)
    return first_columns(load_spec(test, folder))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A folder with rows in several kinds of files."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t/r.csv").write_text("a,b\n1,2\n")
    (tmp_path / "t/r.jsonl").write_text('{"a": 1}\n{"c": 1}\nbroken\n')
    many = [json.dumps({"a": 1})] * 20 + [json.dumps({"late": 1})]
    (tmp_path / "t/many.jsonl").write_text("\n".join(many))
    (tmp_path / "t/r.yaml").write_text("- {a: 1}\n")
    (tmp_path / "t/empty.csv").write_text("")
    (tmp_path / "t/header.csv").write_text("a,b\n")
    (tmp_path / "t/broken.jsonl").write_text('{"a"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("dataset", "found"),
    [
        ("r.csv", {"a", "b"}),
        ("r.jsonl", {"a", "c"}),
        ("many.jsonl", {"a"}),
        ([{"x": 1}, {"y": 1}], {"x", "y"}),
        ({"path": "r.csv", "columns": {"question": "a"}}, {"question", "b"}),
        ({"path": "r.csv", "where": {"a": "none"}}, {"a", "b"}),
        ({"train": "r.jsonl", "test": "r.csv"}, {"a", "b"}),
        ("r.yaml", None),
        ({"hub": "owner/name"}, None),
        ({"train": {"hub": "owner/name"}, "test": "r.csv"}, None),
    ],
)
def test_the_first_rows_say_which_columns_there_are(
    dataset: Any, found: set[str] | None, rows: Path
) -> None:
    assert columns(rows, dataset) == found


@pytest.mark.parametrize("dataset", ["empty.csv", "header.csv", "broken.jsonl", []])
def test_a_data_set_without_rows_says_nothing(dataset: Any, rows: Path) -> None:
    assert columns(rows, dataset) is None


def test_a_test_without_data_set_has_no_columns(tmp_path: Path) -> None:
    assert first_columns(load_spec(write_test(tmp_path / "t"), tmp_path)) is None


def test_templates_have_columns_that_lve_adds_and_ask_about_their_split(rows: Path) -> None:
    data = {"train": "r.jsonl", "dev": "r.csv"}
    reader = {"input_columns": ["a"], "output_column": "b", "test_split": "dev"}
    template = {"type": "PromptTemplate", "template": "{a}"}
    write_dataset_test(rows / "t", data, reader_cfg=reader, prompt_template=template)
    assert first_columns(load_spec(rows / "t", rows)) == {"a", "b", "subdivision", "idx"}
