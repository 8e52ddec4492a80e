"""Locations of instances in messages, and hints about separators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_dataset_test, write_test

from lve.data.instances import iter_instances
from lve.data.problems import memory_of, row_problem
from lve.data.row_places import place_of_row
from lve.spec.load import load_spec
from lve.spec.spec import Instance


@pytest.mark.parametrize(
    ("dataset", "place", "problem"),
    [
        ([{"q": "a"}, {"q": "b"}], "test.json row 2", "test.json: row 2: is wrong"),
        ("rows.jsonl", "rows.jsonl:2", "rows.jsonl:2: is wrong"),
    ],
)
def test_a_row_of_the_document_has_a_number_and_one_of_a_file_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dataset: Any, place: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"q": "a"}\n{"q": "b"}\n', encoding="utf-8")
    write_dataset_test(
        tmp_path,
        dataset,
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
        reader_cfg={"input_columns": ["q"], "output_column": "q"},
    )
    spec = load_spec(tmp_path, root=tmp_path)
    *_, instance = iter_instances(spec)
    assert isinstance(instance, Instance)
    assert place_of_row(instance.source, instance.line) == place
    assert str(row_problem(spec, instance, "is wrong", code="instance")) == problem


@pytest.mark.parametrize(
    "more",
    [
        {"prompt": "Say {q}"},
        {"prompt": "Say {q}", "prompt_parameters": ["q"]},
        {
            "prompt": None,
            "checker_args": None,
            "reader_cfg": {"input_columns": ["q"], "output_column": "a"},
            "infer_cfg": {
                "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
                "retriever": {"type": "ZeroRetriever"},
                "inferencer": {"type": "GenInferencer"},
            },
        },
    ],
    ids=["columns", "parameters", "template"],
)
def test_every_dialect_reads_columns_that_semicolons_separate(
    more: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "t", instances=None, dataset="rows.csv", **more)
    (tmp_path / "t" / "rows.csv").write_text('q;a\n1;2\n"2"x;3\n', encoding="utf-8")
    code, out, _ = call("check", "t")
    assert code == 2
    assert out.count("rows.csv:3:4: text after a closing quote") == 1
    assert len(out.splitlines()) == 2


@pytest.mark.parametrize(
    ("value", "values", "others"),
    [
        ([1, 2.5, None, True], 5, 0),
        ([1, "four", [2, 3]], 6, 4),
        ([[1], {"a": "b"}], 5, 232 + 1),
        ([], 1, 0),
    ],
)
def test_the_memory_of_all_values_is_counted(value: object, values: int, others: int) -> None:
    assert memory_of(value) == 64 * values + others
