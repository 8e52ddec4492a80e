"""How many instances a run will have, for progress."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test

from lve.options.run_options import RunOptions
from lve.pipeline.row_totals import RowTotals, estimate_total
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec
from lve.verdicts.summary import Summary


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


class Previous(SimpleNamespace):
    """A session of failures only: of seven."""

    only: Any = None
    only_total = 7


@pytest.mark.parametrize("only", [None, Counter({"a": 1}), Counter[str]()])
def test_a_session_of_failures_has_as_many_rows_as_there_were(only: Counter[str] | None) -> None:
    """What is left of `only` empties while they run; that it is empty doesn't end them."""
    engine = SimpleNamespace(options=RunOptions(), settings=Settings())
    session: Any = SimpleNamespace(
        previous=Previous(only=only), engine=engine, test_runs={}, summary=Summary()
    )
    totals = RowTotals(session)
    assert totals.total() == (0 if only is None else 7)
    assert totals.has_run_all() is (only is None)


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
