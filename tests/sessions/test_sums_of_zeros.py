"""Hashes of sparse files: holes are counted instead of read."""

from __future__ import annotations

import os
from pathlib import Path

from lve.sessions.provenance import BLOCK_BYTES, hashes_of
from lve.spec.load import load_spec

DOCUMENT = """{"description": "x", "prompt": [{"content": "hi"}],
"checker_args": {"checker_name": "RegexChecker", "pattern": "x", "match_safe": true}}"""


def sum_of(folder: Path) -> str:
    return hashes_of(load_spec(folder, folder))["data"]


def test_a_file_of_a_terabyte_of_holes_has_a_sum(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(DOCUMENT)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("{}\n")
    sums = {sum_of(tmp_path)}
    for size in (10**12, 10**12 + 1):
        os.truncate(rows, size)
        sums.add(sum_of(tmp_path))
    with rows.open("r+b") as file:
        file.seek(10**11)
        file.write(b"x")
    sums.add(sum_of(tmp_path))
    assert len(sums) == 4


def test_zeros_count_the_same_on_the_disk_or_as_a_hole(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(DOCUMENT)
    rows = tmp_path / "rows.jsonl"
    content = b"a" * 10 + bytes(5 * BLOCK_BYTES) + b"b" * 10
    rows.write_bytes(content)
    written = sum_of(tmp_path)
    rows.unlink()
    with rows.open("wb") as file:
        file.write(content[:10])
        file.seek(len(content) - 10)
        file.write(content[-10:])
    assert sum_of(tmp_path) == written
