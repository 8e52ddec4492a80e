"""Data sets as the real packages have them: Parquet by pyarrow, and Hugging Face `datasets`."""

from __future__ import annotations

import datetime
import decimal
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_dataset_test

from lve.data.dataset import hub_rows
from lve.data.instances import iter_instances
from lve.data.row_sources import ListedRows
from lve.errors import SpecError
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec

pyarrow = pytest.importorskip("pyarrow")
COLUMNS: dict[str, list[Any]] = {
    "question": ["a?", "b?"],
    "answer": ["x", None],
    "when": [datetime.date(2020, 1, 2), None],
    "raw": [b"\xff\x00", b""],
    "tags": [["p", "q"], []],
    "price": [decimal.Decimal("1.50"), None],
    "number": [1.5, float("nan")],
    "nested": [{"k": 1}, {"k": 2}],
}
SHOWN = "{question} {when} {raw} {tags} {price} {number} {nested}"


def spec_of(root: Path, dataset: Any, settings: str = "") -> Spec:
    workspace(root, settings)
    reader = {"input_columns": ["question"], "output_column": "answer"}
    write_dataset_test(
        root,
        dataset,
        prompt_template={"type": "PromptTemplate", "template": SHOWN},
        reader_cfg=reader,
    )
    return load_spec(root, root=root)


def test_a_parquet_file_has_values_that_json_has_not(tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "rows.parquet")
    spec = spec_of(tmp_path, {"path": "rows.parquet", "where": {"answer": ["x", None]}})
    instances = [found for found in iter_instances(spec) if isinstance(found, Instance)]
    plan = build_plan(spec)
    prompts = [plan.preview(each)[0].messages[0].content for each in instances]
    assert prompts == [
        "a? 2020-01-02 b'\\xff\\x00' ['p', 'q'] 1.50 1.5 {'k': 1}",
        "b? None b'' [] None nan {'k': 2}",
    ]
    assert [(each.line, each.reference) for each in instances] == [(1, "x"), (2, None)]


def test_what_is_no_parquet_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 no PAR1")
    [problem] = iter_instances(spec_of(tmp_path, "rows.parquet"))
    assert "not a Parquet file" in str(problem)


def test_rows_of_the_datasets_package(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    lines = "".join(json.dumps({"q": f"q{n}", "n": n}) + "\n" for n in range(3))
    (tmp_path / "rows.jsonl").write_text(lines, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package's own
        table = datasets.load_dataset(
            "json", data_files=str(tmp_path / "rows.jsonl"), split="train", cache_dir=str(tmp_path)
        )
    rows = ListedRows(table, "hub:x")
    assert len(rows) == 3
    assert rows.record(2).values == {"q": "q2", "n": 2}
    assert [(row.line, row.values["n"]) for row in rows.records()] == [(1, 0), (2, 1), (3, 2)]  # type: ignore[union-attr]
    with pytest.raises(IndexError):
        rows.record(3)


def test_a_data_set_that_can_not_be_fetched_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    spec = spec_of(tmp_path, {"hub": "some/thing"}, "allow_downloads: true")
    with pytest.raises(SpecError, match="can't load 'some/thing'"):
        hub_rows(spec, {"hub": "some/thing"}, "$.dataset")


@pytest.mark.parametrize("name", ["/etc", "../secrets", "~/x", "a/b/c", "some/folder", "hf://x"])
def test_the_hub_is_no_way_to_folders_of_this_machine(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some" / "folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    spec = spec_of(tmp_path, {"hub": name}, "allow_downloads: true")
    with pytest.raises(SpecError, match="isn't the name of a data set on the hub"):
        hub_rows(spec, {"hub": name}, "$.dataset")
