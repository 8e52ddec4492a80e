"""Text files that are read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.documents.text_file import read_text
from lve.errors import SpecError


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_is_no_text(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(start + "ä".encode())
    assert read_text(path, Path("a"), folder=path.parent, max_bytes=1_000_000) == "ä"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xef\xbb\xbfa\xff", "a:1:2: not UTF-8 (save it as UTF-8)"),
        ("ä\nöb".encode() + b"\xff", "a:2:3: not UTF-8 (save it as UTF-8)"),
        (b"x" * 2_000_001, "a: larger than 2 MB (write less)"),
        (None, "a: can't be read: No such file or directory"),
    ],
)
def test_what_can_not_be_read_is_a_problem(
    content: bytes | None, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        read_text(path, Path("a"), folder=path.parent, max_bytes=2_000_000, hint="write less")
    assert str(caught.value) == problem
