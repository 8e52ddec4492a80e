"""Which tests' instances are read aside, so that other tests don't wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test

from lve.pipeline.preparing.reading import is_large
from lve.spec.load import load_spec

DATA: dict[str, tuple[Any, bool]] = {
    "few rows": ("rows.csv", False),
    "Parquet, however small": ("rows.parquet", True),
    "Parquet as a split": ({"train": "rows.csv", "test": {"path": "rows.PARQUET"}}, True),
    "Parquet under another name": ({"path": "rows.bin", "format": "parquet"}, True),
    "none": (None, False),
}


@pytest.mark.parametrize(("dataset", "large"), DATA.values(), ids=DATA)
def test_what_may_take_a_while_to_read_is_large(dataset: Any, large: bool, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "t").mkdir()
    for name in ("rows.csv", "rows.parquet", "rows.PARQUET", "rows.bin"):
        (root / "t" / name).write_text("q\n1\n")
    keys = {} if dataset is None else {"dataset": dataset}
    spec = load_spec(write_test(root / "t", **keys), root)
    assert is_large(spec) is large
