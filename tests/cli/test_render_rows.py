"""`lve render` of data sets: as a model gets them, and where each character comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.folders import workspace

from lve.cli.main import cli

DOCUMENT = {
    "description": "sums",
    "model": "dummy/dummy",
    "dataset": {
        "train": [{"question": "2+2=?", "answer": "4"}],
        "test": [{"question": "1+1=?", "answer": "2"}],
    },
    "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
    "infer_cfg": {
        "ice_template": {"type": "PromptTemplate", "template": "{question} {answer}"},
        "prompt_template": {
            "type": "PromptTemplate",
            "template": "</E>{question}",
            "ice_token": "</E>",
        },
        "retriever": {"type": "FixKRetriever", "fix_id_list": [0]},
        "inferencer": {"type": "GenInferencer"},
    },
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(tmp_path, "models: {local/m: {kind: lm, meta_template: vicuna}}")
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "test.json").write_text(json.dumps(DOCUMENT, indent=1), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["render", "sums", *arguments])


def test_it_says_where_each_character_comes_from(folder: Path) -> None:
    lines = [line.split() for line in render("--provenance").output.splitlines()]
    assert ["example", "0", "column", "question", "2+2=?"] in lines
    assert ["example", "0", "column", "answer", "4"] in lines
    assert ["row", "column", "question", "(test.json:1)", "1+1=?"] in lines


def test_json_has_every_stage(folder: Path) -> None:
    document = json.loads(render("--provenance", "--json", "--model", "local/m").output)
    row = document["tests"][0]["instances"][0]["row"]
    assert row["retrieved"] == [0]
    assert row["examples"] == "2+2=? 4\n"
    assert row["prompts"] == [{"label": None, "prompt": "2+2=? 4\n1+1=?"}]
    [asked] = row["inputs"]
    assert asked["text"] == "2+2=? 4\n1+1=?"
    spans = asked["origins"]
    assert "".join(asked["text"][s["start"] : s["end"]] for s in spans) == asked["text"]
    assert {s["kind"] for s in spans} == {"example", "template", "row", "default"}
    assert next(s for s in spans if s["kind"] == "template")["line"] is not None


def test_data_that_looks_like_a_field_is_told_with_its_row(folder: Path) -> None:
    dataset = {**DOCUMENT["dataset"], "test": [{"question": "{answer}?", "answer": "2"}]}  # type: ignore[dict-item]
    document = {**DOCUMENT, "dataset": dataset}
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    problems = json.loads(render("--json").stdout)["problems"]
    assert [problem["severity"] for problem in problems] == ["warning"]
    assert "column 'question' contains the text {answer}" in problems[0]["message"]
