"""Warnings about valid test documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.documents.read import Document, read_document
from lve.spec.document_warnings import warnings_of


def document(folder: Path, data: Any) -> Document:
    (folder / "test.json").write_text(json.dumps(data), encoding="utf-8")
    return read_document(folder / "test.json")


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ({"param_values": {}, "test_path": "x"}, ["param_values", "test_path"]),
        ({"default_model_args": {"temprature": 1, "temperature": 1}},
         ["default_model_args.temprature"]),
        ({"multi_run_prompt": {"repetition": 1}}, ["multi_run_prompt.repetition"]),
        ({"multi_run_prompt": {"repetitions": 1}}, []),
        ({"tags": [{"name": "severity"}, {"name": "severty"}]}, ["tags[1].name"]),
        ({"tags": None, "default_model_args": None}, []),
        ({"expect": {"claim": "population", "max_repeats": 9}}, ["expect.max_repeats"]),
        ({"expect": {"claim": "these", "max_repeats": 9}}, ["expect"]),
        ({"expect": {"pass_rate": 0.9}}, []),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 1}}, []),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 0}},
         ["default_model_args.temperature"]),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 1, "seed": 3}},
         ["default_model_args.seed"]),
    ],
)  # fmt: skip
def test_what_is_unusual_is_a_warning(data: Any, places: list[str], tmp_path: Path) -> None:
    found = list(warnings_of(document(tmp_path, data)))
    assert [(problem.path or "").removeprefix("$.") for problem in found] == places
    assert {problem.severity for problem in found} <= {"warning"}
