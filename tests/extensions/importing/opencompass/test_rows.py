"""Rows are read in the columns of `reader_cfg`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.importing.opencompass.data_sets import DataSet
from lve.extensions.importing.opencompass.rows import NoRowsError, RowFiles

CONFIG = {
    "abbr": "a",
    "path": "./data/a",
    "reader_cfg": {"input_columns": "q", "output_column": "r"},
}


def test_rows_and_what_is_no_list_of_rows(tmp_path: Path) -> None:
    data_set = DataSet(CONFIG, tmp_path / "a.py", 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "test.csv").write_text("x,y\n")
    assert RowFiles(tmp_path).rows(data_set, "test") == [{"q": "x", "r": "y"}]
    (tmp_path / "a" / "test.jsonl").write_text("[1]\n")
    with pytest.raises(NoRowsError, match="no list of objects"):
        RowFiles(tmp_path).rows(data_set, "test")
