"""Rows of a data set that were recorded in `instances/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.data.instances import iter_instances
from lve.spec.load import load_spec
from lve.spec.spec import Instance


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    document = {
        "description": "d",
        "prompt": [{"content": "{a}"}],
        "prompt_parameters": ["a"],
        "checker_args": {"checker_name": "RefuseChecker"},
        "dataset": "rows.jsonl",
    }
    (tmp_path / "test.json").write_text(json.dumps(document))
    (tmp_path / "instances").mkdir()
    rows = [{"a": "x"}, {"a": "y", "id": 1}, {"a": "x"}, {"a": "x"}, {"a": 1}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def sources(folder: Path, *recorded: dict[str, Any], names: list[str] | None = None) -> list[str]:
    lines = [json.dumps({"args": args, "response": "r"}) for args in recorded]
    (folder / "instances/a.jsonl").write_text("\n".join(lines))
    found = list(iter_instances(load_spec(folder), names))
    return [f"{i.source}:{i.line}" for i in found if isinstance(i, Instance)]


def test_a_recorded_row_is_given_once(folder: Path) -> None:
    found = sources(folder, {"id": 1, "a": "y", "temperature": None}, {"a": "x"}, {"a": "x"})
    assert found == [*(f"instances/a.jsonl:{n}" for n in (1, 2, 3)), "rows.jsonl:4", "rows.jsonl:5"]


def test_other_args_are_other_instances(folder: Path) -> None:
    found = sources(folder, {"a": "1"}, {"a": "y"})
    assert found[2:] == [f"rows.jsonl:{n}" for n in range(1, 6)]


def test_without_the_recordings_all_rows_are_given(folder: Path) -> None:
    found = sources(folder, {"a": "x"}, names=["rows"])
    assert found == [f"rows.jsonl:{n}" for n in range(1, 6)]
