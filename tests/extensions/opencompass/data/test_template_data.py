"""The tables of a data set: its splits, and the columns that they must have."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test

from lve.errors import Problem, SpecError
from lve.extensions.opencompass.data.template_data import template_data
from lve.spec.load import load_spec
from lve.spec.spec import Spec

ROWS = [{"q": f"q{n}", "n": n} for n in range(6)]


def spec_of(folder: Path, dataset: Any, **reader: Any) -> Spec:
    columns = {"input_columns": ["q"], "output_column": "n", **reader}
    write_dataset_test(
        folder,
        dataset,
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
        reader_cfg=columns,
    )
    return load_spec(folder, root=folder)


def test_splits_share_what_is_said_beside_them(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, {"train": ROWS, "test": ROWS, "where": {"n": [0, 1]}})
    data = template_data(spec)
    assert (len(data.train), len(data.test)) == (2, 2)


def test_splits_have_any_names_and_only_those_that_are_used_are_read(tmp_path: Path) -> None:
    for name in ("dev", "validation"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"q": name, "n": 1}), encoding="utf-8")
    (tmp_path / "unused.json").write_text("not JSON", encoding="utf-8")
    dataset = {
        "dev": "dev.jsonl",
        "validation": {"path": "validation.jsonl"},
        "extra": "unused.json",
    }
    names = {"train_split": "dev", "test_split": "validation"}
    data = template_data(spec_of(tmp_path, dataset, **names))
    assert [data.train[0]["q"], data.test[0]["q"]] == ["dev", "validation"]
    assert data.test[0]["subdivision"].endswith("_validation")


def test_a_split_for_examples_is_needed_only_by_who_chooses_examples(tmp_path: Path) -> None:
    data = template_data(spec_of(tmp_path, {"test": ROWS}))
    assert (len(data.train), len(data.test)) == (0, 6)
    spec = spec_of(tmp_path, {"test": ROWS})
    fixed = {"type": "FixKRetriever", "fix_id_list": [0]}
    examples = replace(spec, infer_cfg={**(spec.infer_cfg or {}), "retriever": fixed})
    with pytest.raises(SpecError, match="there is no split 'train'; there are test"):
        template_data(examples)


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ({"dev": ROWS}, "there is no split 'val'; there are dev"),
        (ROWS, "there is no split 'val'; the data set has no splits of other names than train"),
    ],
)
def test_a_split_that_is_missing_is_named(tmp_path: Path, dataset: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        template_data(spec_of(tmp_path, dataset, test_split="val"))


@pytest.mark.parametrize(
    ("selection", "reader"),
    [({"shuffle": True}, {}), ({"sample": 1}, {}), ({}, {"test_range": "[0:1]"})],
)
def test_bad_lines_are_told_whichever_rows_are_taken(
    selection: dict[str, Any], reader: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text('q,n\na,1\nb\n"c,3\n', encoding="utf-8")
    spec = spec_of(tmp_path, {"path": "rows.csv", **selection}, **reader)
    found = list(template_data(spec).rows())
    assert [one.line for one in found if isinstance(one, Problem)] == [3, 4]
    assert [one[1].line for one in found if not isinstance(one, Problem)] == [2]


@pytest.mark.parametrize("kind", ["in the document", "in a file"])
@pytest.mark.parametrize(
    ("reader", "lines"), [({}, [1, 2, 3, 4, 5, 6]), ({"test_range": "[1:4:2]"}, [2, 4])]
)
def test_a_row_knows_its_line(
    kind: str, reader: dict[str, Any], lines: list[int], tmp_path: Path
) -> None:
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    dataset = {"test": ROWS} if kind == "in the document" else "rows.jsonl"
    data = template_data(spec_of(tmp_path, dataset, **reader))
    rows = [data.row(position) for position in range(len(lines))]
    assert [row.line for row in rows] == lines
    assert [row.values["n"] + 1 for row in rows] == lines
    assert [one[1].line for one in data.rows() if not isinstance(one, Problem)] == lines
