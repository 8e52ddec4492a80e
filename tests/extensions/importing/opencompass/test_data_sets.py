"""Data sets are the lists whose name ends in `datasets`, each object once."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.importing.opencompass.data_sets import open_source


def test_each_object_is_a_data_set_once(tmp_path: Path) -> None:
    text = "a = dict(abbr='a', infer_cfg={})\na_datasets = [a, 1]\nb_datasets = [a]\n"
    (tmp_path / "own.py").write_text(text)
    [data_set] = open_source(tmp_path / "own.py").data_sets()
    assert (data_set.abbr, data_set.line) == ("a", 2)


def test_a_summarizer_is_left_out_with_its_groups(tmp_path: Path) -> None:
    data_sets = "own_datasets = [dict(abbr='a', infer_cfg={})]\n"
    groups = "summary_groups=[dict(name='mean', subsets=['a']), dict(name='both', subsets=['a'])]"
    text = f"{data_sets}summarizer = dict(dataset_abbrs=['a'], {groups})\n"
    for more, told in (
        (text, "mean, both"),
        ("summarizer = dict(type='x')\n" + data_sets, "zer: re"),
    ):
        (tmp_path / "own.py").write_text(more)
        source = open_source(tmp_path / "own.py")
        assert len([*source.data_sets()]) == 1
        [left_out] = source.left_out
        assert "own.py:" in left_out
        assert told in left_out
    for more in (data_sets, "summarizer = dict(summary_groups=[dict(name='mean')])\n"):
        (tmp_path / "own.py").write_text(more)
        source = open_source(tmp_path / "own.py")
        assert len([*source.data_sets()]) == (more == data_sets)
        assert source.left_out == []


def test_a_summarizer_that_is_no_data_is_no_crash(tmp_path: Path) -> None:
    groups = "summarizer = dict(summary_groups=[1, dict(subsets=3)])\n"
    text = f"{groups}a_datasets = [dict(infer_cfg={{}})]\n"
    (tmp_path / "own.py").write_text(text)
    source = open_source(tmp_path / "own.py")
    assert len([*source.data_sets()]) == 1
    assert len(source.left_out) == 1
