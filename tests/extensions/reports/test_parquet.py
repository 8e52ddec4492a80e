"""`.parquet`: the table with types."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reporting.reports import MIXED
from support.recorded import recorded
from support.results import make_result, results

from lve.extensions.reports import parquet
from lve.extensions.reports.columns import COLUMNS
from lve.extensions.reports.parquet import write_parquet

reader = pytest.importorskip("pyarrow.parquet")


def table(state: Path, given_results: list[Any]) -> Any:
    file = io.BytesIO()
    with recorded(state, given_results) as session:
        write_parquet([session], file)
    return reader.read_table(file)


@given(st.lists(results, max_size=3))
@settings(max_examples=8)
def test_it_is_read_whatever_the_results_are(given_results: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        read = table(Path(folder), given_results)
    assert read.column_names[: len(COLUMNS)] == [column.name for column in COLUMNS]


def test_columns_have_types_and_nothing_is_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH", 2)  # several batches
    read = table(tmp_path, [*MIXED, make_result(test="z", line=10**30)])
    rows = read.to_pylist()
    assert [row["test"] for row in rows] == ["a", "a", "a", "b", "b", "c", "z"]
    assert rows[4]["as_expected"] is False
    assert (rows[4]["cost"], rows[0]["cost"]) == (0.25, None)
    assert rows[0]["cached"] is True
    assert rows[0]["latency_s"] == 0.25
    assert rows[5]["first_token_s"] is None


def test_no_results_are_a_table_without_rows(tmp_path: Path) -> None:
    assert table(tmp_path, []).num_rows == 0
