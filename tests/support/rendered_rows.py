"""A test of a data set for `lve render`: one row to ask, one as an example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import workspace, write_test

DOCUMENT: dict[str, Any] = {
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


def enter_sums(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a workspace with the test `sums` and enter it."""
    workspace(folder, "models: {local/m: {kind: lm, meta_template: vicuna}}")
    write_test(folder / "sums", prompt=None, checker_args=None, **DOCUMENT)
    monkeypatch.chdir(folder)
    return folder


def render(*arguments: str, **how: Any) -> Result:
    """Render `sums`."""
    return lve("render", "sums", *arguments, **how)
