"""How many instances a run will have, for progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test

from lve.pipeline.row_totals import estimate_total
from lve.run_options import RunOptions
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec


@pytest.mark.parametrize(
    ("options", "rows", "total"),
    [
        ({}, None, 10),
        ({}, 4, 8),
        ({"limit": 3}, None, 6),
        ({"limit": 3}, 2, 4),
        ({"limit": 99}, None, 10),
        ({"index": 1, "limit": 3}, None, 2),
        ({"limit": 3, "repeats": 2}, None, 12),
    ],
)
def test_what_bounds_the_instances_of_each_test(
    tmp_path: Path, options: dict[str, Any], rows: int | None, total: int
) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "t", 5))
    settings = Settings(caps=Caps(rows=rows))
    tests = [(spec, "one"), (spec, "other")]
    assert estimate_total(tests, RunOptions(**options), settings) == total


ROWS = [{"n": str(number)} for number in range(3)]


@pytest.mark.parametrize(
    "dataset",
    [ROWS, {"rows": ROWS}, {"test": ROWS, "train": ROWS[:1]}, {"path": "n.jsonl"}, "n.jsonl"],
)
def test_rows_are_counted_wherever_they_are(tmp_path: Path, dataset: object) -> None:
    folder = workspace(tmp_path) / "t"
    write_test(folder, prompt="{n}", prompt_parameters=["n"], dataset=dataset)
    (folder / "n.jsonl").write_text('{"n": "1"}\n{"n": "2"}\n{"n": "3"}\n', "utf-8")
    assert estimate_total([(load_spec(folder), "one")], RunOptions(), Settings()) == 3
