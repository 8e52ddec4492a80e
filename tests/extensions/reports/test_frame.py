"""Results as a pandas data frame."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.recorded import recorded
from support.results import make_result

from lve.errors import MissingExtraError
from lve.extensions.reports import notebook
from lve.pipeline.result import RunResult


def test_a_row_for_each_result(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas isn't installed")
    results = [
        make_result(
            line=1, args={"name": "Chloé", "n": 3}, labels=("a", "b"), score=0.5, variant="formal"
        ),
        make_result(line=2, args={"name": "=Bo"}, verdict="failed"),
    ]
    with recorded(tmp_path, results) as session:
        table = RunResult(session.summary, "complete", session.folder).to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["args.name"]) == ["Chloé", "=Bo"]
    assert table["variant"][0] == "formal"
    assert list(table["verdict"]) == ["passed", "failed"]
    assert table["response"][0] == "hello"
    assert (table["right_label"][0], table["chosen_label"][0]) == ("a", "b")
    assert table.groupby("verdict").size().to_dict() == {"passed": 1, "failed": 1}
    assert len(notebook.to_pandas([])) == 0


def test_without_pandas_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    with recorded(tmp_path, [make_result()]) as session:
        run = RunResult(session.summary, "complete", session.folder)
        with pytest.raises(MissingExtraError, match=r"pip install 'lve\[pandas\]'"):
            run.to_pandas()
