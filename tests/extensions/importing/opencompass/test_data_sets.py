"""Data sets are the lists whose name ends in `datasets`, each object once."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.importing.opencompass.data_sets import open_source


def test_each_object_is_a_data_set_once(tmp_path: Path) -> None:
    text = "a = dict(abbr='a', infer_cfg={})\na_datasets = [a, 1]\nb_datasets = [a]\n"
    (tmp_path / "own.py").write_text(text)
    [data_set] = open_source(tmp_path / "own.py").data_sets()
    assert (data_set.abbr, data_set.line) == ("a", 2)


def test_a_summarizer_belongs_to_the_data_sets_of_its_file(tmp_path: Path) -> None:
    data_sets = "own_datasets = [dict(abbr='a', infer_cfg={})]\n"
    for more, number in (
        (f"{data_sets}summarizer = dict(type='x')\n", 1),
        (f"{data_sets}summarizer = [1]\n", 0),
        ("summarizer = dict(type='x')\n", 0),
    ):
        (tmp_path / "own.py").write_text(more)
        source = open_source(tmp_path / "own.py")
        each = [*source.data_sets()]
        assert len(source.summarizers) == number
        for summarizer in source.summarizers:
            assert (summarizer.config, summarizer.line) == ({"type": "x"}, 2)
            assert summarizer.data_sets == tuple(each)
        assert source.left_out == []
