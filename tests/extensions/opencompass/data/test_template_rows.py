"""Instances of tests with templates. Bad rows are reported, also those for examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_dataset_test

from lve.data.instances import instance_of_row, iter_instances
from lve.errors import Problem
from lve.extensions.opencompass.data.template_rows import judged_instance
from lve.spec.load import load_spec
from lve.spec.spec import Instance

READER = {"input_columns": ["q"], "output_column": "a"}
FIX_K: dict[str, Any] = {
    "ice_template": {"type": "PromptTemplate", "template": "{q}={a}"},
    "prompt_template": {"type": "PromptTemplate", "template": "</E>{q}=", "ice_token": "</E>"},
    "retriever": {"type": "FixKRetriever", "fix_id_list": [0]},
}


def problems(tmp_path: Path, **infer_cfg: Any) -> list[str]:
    dataset = {"train": "train.jsonl", "test": "test.jsonl"}
    folder = write_dataset_test(workspace(tmp_path) / "t", dataset, reader_cfg=READER, **infer_cfg)
    (folder / "train.jsonl").write_text('{"q": "1+1", "a": "2"}\n{"q": "broken\n')
    (folder / "test.jsonl").write_text('{"q": "2+2", "a": "4"}\n')
    found = list(iter_instances(load_spec(folder)))
    assert len([item for item in found if not isinstance(item, Problem)]) == 1
    return [
        f"{Path(str(item.file)).name}:{item.line}" for item in found if isinstance(item, Problem)
    ]


def test_an_example_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, **FIX_K) == ["train.jsonl:2"]


def test_rows_that_nobody_wants_are_not_looked_at(tmp_path: Path) -> None:
    template = {"type": "PromptTemplate", "template": "{q}="}
    assert problems(tmp_path, prompt_template=template) == []


@pytest.mark.parametrize(("answers", "left"), [(1, 1), (2, 1), (3, 1), (4, 0)])
def test_equal_rows_are_recorded_with_enough_answers(
    tmp_path: Path, answers: int, left: int
) -> None:
    template = {"type": "PromptTemplate", "template": "{q}="}
    rows = [{"q": "2+2", "a": "4"}] * 2
    folder = workspace(tmp_path) / "t"
    data = {"train": "test.jsonl", "test": "test.jsonl"}
    write_dataset_test(folder, data, reader_cfg=READER, prompt_template=template)
    (folder / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "suite.yaml").write_text("repeats: 2")
    (folder / "instances").mkdir()
    line = json.dumps({"args": rows[0], "response": "4"}) + "\n"
    (folder / "instances" / "m.jsonl").write_text(line * answers)
    found = [one for one in iter_instances(load_spec(folder)) if isinstance(one, Instance)]
    assert [one.recorded is None for one in found].count(True) == left
    assert len(found) == answers + left


def test_a_result_is_judged_as_its_row_was(tmp_path: Path) -> None:
    """A column is a parameter even if it is named like a model arg, and a number is a choice."""
    folder = workspace(tmp_path) / "t"
    write_dataset_test(
        folder,
        [{"q": "2+2", "seed": 7, "choices": ["3", "4"], "a": 1}],
        reader_cfg=READER,
        prompt_template={"type": "PromptTemplate", "template": "{q}="},
        inferencer={"type": "CLPInferencer"},
    )
    spec = load_spec(folder)
    [instance] = iter_instances(spec)
    assert isinstance(instance, Instance)
    judged = judged_instance(spec, instance_of_row(spec, instance.args, "test.json", 1))
    assert judged.parameters["seed"] == 7
    assert judged.reference == instance.reference == "4"
