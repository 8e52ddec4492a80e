"""Rows of a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test

from lve.data.dataset import splits_of
from lve.data.dataset_selection import SelectedRows, Selection
from lve.data.row_sources import FileRows, JsonlRows, JsonRows, ListedRows, RowSource
from lve.documents.position_types import Position
from lve.errors import Problem, SpecError
from lve.spec.load import load_spec
from lve.spec.spec import Spec

PLACE = Position(Path("test.json"))
ROWS = [{"q": f"q{n}", "n": n} for n in range(6)]


def spec_of(folder: Path, dataset: Any, **reader: Any) -> Spec:
    columns = {"input_columns": ["q"], "output_column": "n", **reader}
    write_dataset_test(
        folder,
        dataset,
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
        reader_cfg=columns,
    )
    return load_spec(folder, root=folder)


def source_of(folder: Path, dataset: Any) -> RowSource:
    source = splits_of(spec_of(folder, dataset))
    assert isinstance(source, RowSource)
    return source


FILES = {
    "rows.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "rows.json": json.dumps(ROWS),
    "rows.yaml": "".join(f"- {{q: q{n}, n: {n}}}\n" for n in range(6)),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    source = source_of(tmp_path, name)
    assert list(source) == ROWS
    assert [source[n] for n in (5, 0, -1)] == [ROWS[5], ROWS[0], ROWS[-1]]
    assert len(source) == 6
    with pytest.raises(IndexError):
        source[6]


def test_a_file_may_have_another_ending(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text(FILES["rows.jsonl"], encoding="utf-8")
    assert list(source_of(tmp_path, {"path": "rows.txt", "format": "jsonl"})) == ROWS


@pytest.mark.parametrize(
    ("name", "is_large", "kind"),
    [
        ("rows.jsonl", False, JsonlRows),
        ("rows.jsonl", True, JsonlRows),
        ("rows.json", False, FileRows),
        ("rows.json", True, JsonRows),
        ("rows.yaml", False, FileRows),
        ("rows.yaml", True, FileRows),
    ],
)
def test_only_rows_of_large_json_files_are_found_by_their_places(
    name: str, is_large: bool, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(FILES[name].encode())
    monkeypatch.setattr("lve.data.dataset.LARGE_JSON_BYTES", size - is_large)
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    source = source_of(tmp_path, name)
    assert type(source) is kind
    assert list(source) == ROWS


def test_bad_lines_have_no_position(tmp_path: Path) -> None:
    text = '\ufeff{"q": "a"}\r\n\r\n[1]\n{"q": "é"}\nno\n{"q": "c"}'
    (tmp_path / "rows.jsonl").write_bytes(text.encode())
    source = JsonlRows(tmp_path, "rows.jsonl")
    assert [source.record(n).line for n in (2, 0, 1)] == [6, 1, 4]
    assert source.record(1).values == {"q": "é"}
    assert [r.line for r in source.records() if isinstance(r, Problem)] == [3, 5]


SELECTIONS = [
    (Selection(columns={"word": "q"}), [{"word": f"q{n}", "n": n} for n in range(6)]),
    (Selection(where={"n": 3}), ROWS[3:4]),
    (Selection(where={"n": [1, 5]}), [ROWS[1], ROWS[5]]),
    (Selection(limit=2), ROWS[:2]),
    (Selection(where={"n": [2, 3, 4]}, limit=2), ROWS[2:4]),
    (Selection(limit=99), ROWS),
]


@pytest.mark.parametrize(("selection", "expected"), SELECTIONS)
def test_what_is_taken_is_the_same_streamed_and_by_position(
    selection: Selection, expected: list[Any]
) -> None:
    source = SelectedRows(ListedRows(ROWS, "test.json"), selection, PLACE)
    assert list(source) == expected
    assert [source[n] for n in range(len(source))] == expected


def test_chance_is_repeatable() -> None:
    def take(**given: Any) -> list[int]:
        source = SelectedRows(ListedRows(ROWS, "test.json"), Selection(**given), PLACE)
        assert [source[n]["n"] for n in range(len(source))] == [row["n"] for row in source]
        return [row["n"] for row in source]

    assert take(sample=3, seed=5) == take(sample=3, seed=5) == sorted(take(sample=3, seed=5))
    assert len(set(map(tuple, (take(shuffle=True, seed=s) for s in range(9))))) > 1
    assert sorted(take(shuffle=True)) == list(range(6))
    assert take(shuffle=True, limit=2) == take(shuffle=True)[:2]
    assert take(sample=99) == list(range(6))


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ({"path": "nowhere.jsonl"}, "nowhere.jsonl"),
        ({"limit": 3}, "needs one of `path`, `rows`, `hub`"),
        ({"rows": [], "path": "x.jsonl"}, "x.jsonl"),
        ({"hub": "some/thing"}, "would have to be downloaded"),
        ({"path": "notes.docx"}, "can't be a `.docx` file"),
    ],
)
def test_a_source_that_can_not_be_used_is_explained(
    dataset: Any, message: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.docx").write_text("", encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        splits_of(spec_of(tmp_path, dataset))


def test_a_missing_file_of_a_split_is_found_when_the_test_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"\$.dataset.validation: `no.jsonl`"):
        spec_of(tmp_path, {"dev": ROWS, "validation": "no.jsonl"}, test_split="validation")
