"""`.xlsx`: what a spreadsheet reads of it, also of hostile texts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from support.recorded import recorded
from support.results import make_result

from lve.extensions.reports import xlsx
from lve.sessions.session_tests import SessionTest

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl isn't installed")
HOSTILE = ("=1+1", '=HYPERLINK("http://x")', "+1", "@SUM(A1)", "#N/A", "a\x00\x1b\ud800b", "<b>")


def table(state: Path, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    test = SessionTest("a", "m", parameters=("name", "=x"))
    results = [
        make_result(test="a", model="m", line=n, args={"name": value, "=x": n, "temperature": 1})
        for n, value in enumerate(values, 1)
    ]
    file = io.BytesIO()
    with recorded(state, results, [test]) as session:
        xlsx.write_xlsx([session], file)
    sheet = openpyxl.load_workbook(io.BytesIO(file.getvalue())).active
    heads, *rows = [[(cell.value, cell.data_type) for cell in row] for row in sheet.iter_rows()]
    assert {kind for row in [heads, *rows] for _, kind in row} <= {"s", "inlineStr", "n", "b"}
    return [dict(zip([n for n, _ in heads], [v for v, _ in row], strict=True)) for row in rows]


def test_a_parameter_has_a_column_and_no_text_is_a_formula(tmp_path: Path) -> None:
    rows = table(tmp_path, HOSTILE)
    names = [row["parameters.name"] for row in rows]
    assert names == [*HOSTILE[:5], "a\\u0000\\u001b\\ud800b", "<b>"]
    assert [row["parameters.=x"] for row in rows] == [str(n) for n in range(1, 8)]
    assert rows[0]["verdict"] == "passed"
    assert rows[0]["line"] == 1
    assert "parameters.temperature" not in rows[0]


def test_a_long_text_is_cut_to_what_a_cell_holds(tmp_path: Path) -> None:
    [row] = table(tmp_path, ("x" * 40_000,))
    assert 31_000 < len(row["parameters.name"]) <= 32_767


def test_more_results_than_a_sheet_has_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "MAX_ROWS", 2)
    with pytest.raises(xlsx.UsageError, match=r"write \.csv or \.parquet"):
        table(tmp_path, ("a", "b", "c"))
