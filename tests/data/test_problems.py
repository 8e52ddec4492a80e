"""Where an instance stands, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test

from lve.conventions import place_of_row
from lve.data.instances import iter_instances
from lve.data.problems import row_problem
from lve.spec.load import load_spec
from lve.spec.model import Instance


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
