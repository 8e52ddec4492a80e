"""Data sets are the lists whose name ends in `datasets`, each object once."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.importing.opencompass.data_sets import open_source


def test_each_object_is_a_data_set_once(tmp_path: Path) -> None:
    text = "a = dict(abbr='a', infer_cfg={})\na_datasets = [a, 1]\nb_datasets = [a]\n"
    (tmp_path / "own.py").write_text(text)
    [data_set] = open_source(tmp_path / "own.py").data_sets()
    assert (data_set.abbr, data_set.line) == ("a", 2)
