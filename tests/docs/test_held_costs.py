"""What starts and rows may cost (benchmarks/README.md), and what is dearer than that."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PAGE = (BENCHMARKS / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return runpy.run_path(str(BENCHMARKS / "held_table.py"))


def test_the_page_holds_three_starts_and_two_rows(table: dict[str, Any]) -> None:
    costs = table["held"](PAGE)
    assert len(costs) == 5
    assert all(0.5 < cost < 10 for cost in costs.values())


def test_two_percent_more_are_too_much(table: dict[str, Any]) -> None:
    held = {"start": 2.0, "row": 4.0}
    assert table["dearer"]({"start": 2.039, "row": 3.0}, held) == []
    (line,) = table["dearer"]({"start": 2.05, "row": 4.0}, held)
    assert line.startswith("start: 2.05 times")
    (line,) = table["dearer"]({"new": 1.0}, held)
    assert "nothing" in line


def test_a_table_that_is_written_is_read(table: dict[str, Any]) -> None:
    costs = {"start of help": 1.25, "row": 0.5}
    page = table["written"](PAGE, costs)
    assert table["held"](page) == costs
    assert table["written"](page, table["held"](PAGE)) == PAGE


def test_a_page_without_a_table_is_an_error(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no table"):
        table["held"]("nothing")
