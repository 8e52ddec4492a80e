"""Rows of a large JSON file, which are found by their offsets."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from lve.data import dataset
from lve.data.row_sources import FileRows, JsonlRows, JsonRows, ListedRows, RowSource
from lve.errors import Problem, SpecError
from lve.spec.load import load_spec

ROWS: list[Any] = [{"a": "x,]"}, 7, {"a": [1, {"b": "\u65e5"}]}, {}, {"a": None}]


def source(folder: Path, text: str) -> JsonRows:
    (folder / "rows.json").write_text(text, encoding="utf-8")
    return JsonRows(folder, "rows.json")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_rows_are_those_of_a_file_that_is_read_as_a_whole(
    tmp_path: Path, indent: int | None, ensure_ascii: bool
) -> None:
    text = "\n " + json.dumps(ROWS, indent=indent, ensure_ascii=ensure_ascii) + "\n"
    rows: list[RowSource] = [source(tmp_path, text), FileRows(tmp_path, "rows.json", ".json")]
    one, other = rows
    assert list(one.records()) == list(other.records())
    assert len(one) == len(other) == 4
    assert [one.record(n) for n in (3, 0, 1)] == [other.record(n) for n in (3, 0, 1)]
    assert [problem.line for problem in one.problems()] == [2]
    with pytest.raises(IndexError):
        one.record(4)


@pytest.mark.parametrize("text", ["[]", " [ ] \n"])
def test_an_empty_list_has_no_rows(tmp_path: Path, text: str) -> None:
    assert len(source(tmp_path, text)) == 0


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", '{"a": [1]}', "[", "[{}", "[{},]", "[,{}]", "[{} {}]", "[{}] []", "[{}]]",
        '[{"a": 1, "a": 2}]', "[NaN]", '[{"a": "\\ud800"}]', "[" * 200 + "]" * 200, "[{}, nul]",
        "[{]}", '[{"a": 1e999}]',
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused_in_the_same_words(tmp_path: Path, text: str) -> None:
    one = source(tmp_path, text)
    with pytest.raises(SpecError) as caught:
        list(one.records())
    with pytest.raises(SpecError) as whole:
        list(FileRows(tmp_path, "rows.json", ".json").records())
    if text.startswith("["):
        assert str(caught.value) == str(whole.value)


def test_what_is_wrong_at_the_end_comes_after_the_rows(tmp_path: Path) -> None:
    one = source(tmp_path, '[{"a": 1}, {"a": 2} {}]')
    assert one.record(1).values == {"a": 2}
    with pytest.raises(SpecError, match=r"rows\.json:1:21"):
        one.record(2)


def test_a_large_file_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "LARGE_JSON_BYTES", 1000)
    count = 20_000
    (tmp_path / "rows.json").write_text(json.dumps([{"q": 1}] * count))
    document = {
        "description": "d", "model": "m", "dataset": "rows.json",
        "prompt": [{"role": "user", "content": "{q}"}], "prompt_parameters": ["q"],
        "checker_args": {"checker_name": "RegexChecker", "pattern": ".", "match_safe": True},
    }  # fmt: skip
    (tmp_path / "test.json").write_text(json.dumps(document))
    rows = dataset.instance_source(load_spec(tmp_path))
    assert isinstance(rows, JsonRows)
    tracemalloc.start()
    try:
        assert rows.record(count - 1).line == count
        assert not any(isinstance(row, Problem) for row in rows.records())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * count  # its rows would take 300 bytes each


@pytest.mark.parametrize("position", [-3, -2, -1, 0, 1, 2, 3])
@pytest.mark.parametrize("kind", ["listed", "of a file", "indexed"])
def test_only_the_rows_that_there_are_can_be_read(tmp_path: Path, kind: str, position: int) -> None:
    values: list[dict[str, object]] = [{"a": 1}, {"a": 2}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in values))
    sources: dict[str, RowSource] = {
        "listed": ListedRows(values, "rows"),
        "of a file": FileRows(tmp_path, "rows.jsonl", ".jsonl"),
        "indexed": JsonlRows(tmp_path, "rows.jsonl"),
    }
    rows = sources[kind]
    if position in (0, 1):
        assert (rows.record(position).values, rows.record(position).line) == (
            values[position],
            position + 1,
        )
    else:
        with pytest.raises(IndexError):
            rows.record(position)
    if -2 <= position <= 1:
        assert rows[position] == values[position], "as in a list of Python"
    else:
        with pytest.raises(IndexError):
            rows[position]


def test_a_file_that_vanishes_between_two_rows_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    rows = JsonlRows(tmp_path, "rows.jsonl")
    assert len(rows) == 2
    (tmp_path / "rows.jsonl").unlink()
    with pytest.raises(SpecError) as caught:
        rows.record(1)
    assert [problem.code for problem in caught.value.problems] == ["unreadable"]
