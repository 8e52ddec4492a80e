"""Files of Python that settings and tests name."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.files.inside import DOCUMENT_BYTES
from lve.settings.code_file import CodeFileError, read_code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files of all sizes, a folder, and links."""
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "code.py").write_text("x = 1\n")
    (folder / "largest.py").write_bytes(b"#" * DOCUMENT_BYTES)
    (folder / "larger.py").write_bytes(b"#" * (DOCUMENT_BYTES + 1))
    (tmp_path / "out.py").write_text("x = 2\n")
    (folder / "link.py").symlink_to(tmp_path / "out.py")
    (folder / "inner.py").symlink_to(folder / "code.py")
    return folder


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("code.py", b"x = 1\n"),
        ("inner.py", b"x = 1\n"),
        ("largest.py", b"#" * DOCUMENT_BYTES),
    ],
)
def test_a_file_in_the_folder_is_read(folder: Path, name: str, content: bytes) -> None:
    assert read_code(folder, folder / name) == content


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no.py", "can't be read: No such file or directory"),
        ("below", "can't be read: Is a directory"),
        ("larger.py", f"more than {DOCUMENT_BYTES:,} bytes"),
        ("link.py", "can't be read: "),
        ("../out.py", "can't be read: "),
    ],
)
def test_what_cannot_be_read_is_named_with_the_reason(folder: Path, name: str, why: str) -> None:
    with pytest.raises(CodeFileError) as raised:
        read_code(folder, folder / name)
    assert str(raised.value).startswith(f"{folder / name}: {why}")
