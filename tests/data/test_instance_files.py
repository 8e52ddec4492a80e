"""Instance files in all the formats of the original repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.data import instance_files as module
from lve.data.instance_files import instance_files, is_named, iter_values
from lve.errors import Problem


def values(folder: Path, text: str | bytes) -> list[Any]:
    """Return line and value of each entry; of a problem its message."""
    file = folder / "x.jsonl"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    found = list(iter_values(file, folder))
    return [(n, v.message if isinstance(v, Problem) else v) for n, v in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n\n{"a": 2}', [(1, {"a": 1}), (3, {"a": 2})]),
        ('{"a": 1}', [(1, {"a": 1})]),
        ('[{"a": 1},\n {"a": 2}]', [(1, {"a": 1}), (2, {"a": 2})]),
        ('\n[\n{"a": 1}\n]\n', [(3, {"a": 1})]),
        ("[]", []),
        ('{\n"a": 1\n}\n{\n"a": 2}', [(1, {"a": 1}), (4, {"a": 2})]),
        ('{"a":\n1} {"a": 2}', [(1, {"a": 1}), (2, {"a": 2})]),
        ("", []),
        ('{"a": 1}\n5', [(1, {"a": 1}), (2, 5)]),
        (
            '{"a": 1}\nnot json\n{"a": 2}',
            [(1, {"a": 1}), (2, "`not` is not a JSON value"), (3, {"a": 2})],
        ),
    ],
)
def test_entries_have_their_lines(text: str, found: list[Any], tmp_path: Path) -> None:
    assert values(tmp_path, text) == found


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[{"a": 1} {"a": 2}]', 1, "expected `,` or `]` here"),
        ('[\n{"a": 1}\n', 3, "expected `,` or `]` here"),
        ('[\n{"a": 1},\n{"a"', 3, None),
        (b"[\n\xff]", 1, "not UTF-8"),
    ],
)
def test_what_is_wrong_in_a_list_ends_it_where_it_stands(
    text: str | bytes, line: int, message: str | None, tmp_path: Path
) -> None:
    found_line, found = values(tmp_path, text)[-1]
    assert found_line == line
    assert message is None or found == message


def test_a_list_is_read_as_a_whole_and_so_has_a_largest_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WHOLE_BYTES", 1_000_000)
    assert values(tmp_path, "[" + " " * 1_000_000 + "]") == [(1, "a JSON list of more than 1 MB")]
    lines = '{"a": "' + "x" * 600_000 + '"}\n'
    assert len(values(tmp_path, lines * 2)) == 2


def test_files_are_sorted_and_others_are_left_out(tmp_path: Path) -> None:
    assert instance_files(tmp_path) == []
    place = tmp_path / "instances"
    place.mkdir()
    for name in ("b.jsonl", "a.json", ".hidden.jsonl", "notes.txt", "c.jsonl.bak"):
        (place / name).write_text("{}")
    assert [file.name for file in instance_files(tmp_path)] == ["a.json", "b.jsonl"]
    assert [file.name for file in instance_files(tmp_path, ["b", "none"])] == ["b.jsonl"]
    assert instance_files(tmp_path, ["notes.txt"]) == []


@pytest.mark.parametrize(
    ("name", "named"),
    [("x", True), ("x.jsonl", True), ("instances/x.jsonl", True), ("y", False), ("x.json", False)],
)
def test_a_file_may_be_named_in_three_ways(name: str, named: bool) -> None:
    assert is_named(Path("/t/instances/x.jsonl"), ["other", name]) is named
