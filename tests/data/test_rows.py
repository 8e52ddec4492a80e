"""Data files line by line: rows, and problems of bad lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.data import rows
from lve.data.rows import iter_rows
from lve.errors import Problem, SpecError

BOM = b"\xef\xbb\xbf"


def read(folder: Path, name: str, content: bytes) -> list[Any]:
    """Return the rows of a file as they are read, and in place of a problem its line and text."""
    (folder / name).write_bytes(content)
    return [
        (found.line, found.message) if isinstance(found, Problem) else dict(found.values)
        for found in iter_rows(folder / name, folder)
    ]


@pytest.mark.parametrize("name", ["r.jsonl", "r.csv"])
def test_a_bom_may_begin_a_file(name: str, tmp_path: Path) -> None:
    content = {"r.jsonl": b'{"q": "x"}\n', "r.csv": b"q\nx\n"}[name]
    assert read(tmp_path, name, BOM + content) == [{"q": "x"}]


def test_a_bom_on_another_line_is_no_json(tmp_path: Path) -> None:
    first, (line, message) = read(tmp_path, "r.jsonl", b'{"q": 1}\n' + BOM + b'{"q": 2}\n')
    assert (first, line) == ({"q": 1}, 2)
    assert message == "expected a value here"


@pytest.mark.parametrize("half", [b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xff", b"\xc3"])
def test_a_line_that_is_not_utf8_is_a_problem_and_the_next_is_read(
    half: bytes, tmp_path: Path
) -> None:
    content = b'{"q": "' + half + b'"}\n{"q": 2}\n'
    assert read(tmp_path, "r.jsonl", content) == [(1, "not UTF-8"), {"q": 2}]


@pytest.mark.parametrize("more", [0, 1, 2, 65_535, 65_536, 65_537, 200_000])
def test_the_line_after_one_that_is_too_long_is_read(
    more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1_000_000)
    content = b"x" * (1_000_000 + more) + b'\n{"q": 1}\n{"q": 2}'
    long, *others = read(tmp_path, "r.jsonl", content)
    assert others == [{"q": 1}, {"q": 2}]
    assert long == (1, "the line is longer than 1 MB")


def test_what_follows_a_line_without_end_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1_000_000)
    monkeypatch.setattr(rows, "MAX_SKIPPED_BYTES", 2_000_000)
    content = b'{"q": 1}\n' + b"x" * 4_000_000 + b'\n{"q": 2}\n'
    message = "the line is longer than 1 MB; the rest of the file is not read"
    assert read(tmp_path, "r.jsonl", content) == [{"q": 1}, (2, message)]


def test_lines_are_counted_with_those_that_are_blank(tmp_path: Path) -> None:
    content = b'\n  \r\n{"q": 1}\r\n[1]\nnull'
    assert read(tmp_path, "r.jsonl", content) == [
        {"q": 1},
        (4, "a row must be an object"),
        (5, "a row must be an object"),
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a,b\r\n1,2\r\n\r\n3,\r\n", [{"a": "1", "b": "2"}, {"a": "3", "b": ""}]),
        (b'a,b\n"x\ny",2\n', [{"a": "x\ny", "b": "2"}]),
        (b"a,b\n1\n2,3\n", [(2, "the row has 1 cell, the header 2"), {"a": "2", "b": "3"}]),
        (b"a,b,a\n1,2,3\n", [(1, "the column `a` occurs twice")]),
        (b"\na\n", [(1, "has no header")]),
        (b'a\n"x\n', [(2, "a quote is never closed")]),
        (b"a\n\xff\n", [(2, "not UTF-8")]),
        ("ä\n".encode() * 70_000 + b"\xff\n", [(70_001, "not UTF-8")]),
        (b"a\n", [(None, "has no rows")]),
        (b"", [(1, "has no header")]),
        (b'"a\n', [(1, "a quote is never closed")]),
        (BOM + b"a;b\r\n1,5;2\r\n", [{"a": "1,5", "b": "2"}]),
        (b"a\tb\n1\t2\n", [{"a": "1", "b": "2"}]),
        (b'a|"b;,c"\n1|2\n', [{"a": "1", "b;,c": "2"}]),
        (b"a,b;c\n1,2\n", [{"a": "1", "b;c": "2"}]),
        (b'a,b\r1,"x\ry"\r3,4\r', [{"a": "1", "b": "x\ry"}, {"a": "3", "b": "4"}]),
        (b"a\r1\r\xff\r", [(1, "not UTF-8")]),
        (b'a,b\n"' + b"x" * 200_000 + b'",1\n', [{"a": "x" * 200_000, "b": "1"}]),
    ],
)
def test_csv(content: bytes, found: list[Any], tmp_path: Path) -> None:
    assert read(tmp_path, "r.csv", content)[-len(found) :] == found


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="can't be read"):
        list(iter_rows(tmp_path / "none.csv", tmp_path))


def test_the_ending_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b'{"q": 1}')
    (row,) = iter_rows(tmp_path / "rows", tmp_path, ".jsonl")
    assert not isinstance(row, Problem)
    assert (row.values, row.line) == ({"q": 1}, 1)


@pytest.mark.parametrize(
    ("content", "requests"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\n\r\nb\r\n", ["a", "b"]),
        (b" a \n\n  \nb", [" a ", "b"]),
        (b"raXr\r\nn\\n\n", ["raXr", "n\\n"]),
    ],
)
def test_each_line_of_a_text_is_a_request(
    tmp_path: Path, content: bytes, requests: list[str]
) -> None:
    assert read(tmp_path, "r.txt", content) == [{"request": text} for text in requests]
