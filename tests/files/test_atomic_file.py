"""A file is replaced completely or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lve.files import atomic_file
from lve.files.atomic_file import append_inside, draft_of, replace_file, replace_inside
from lve.files.inside import FileTooLargeError, RefusedFileError


def test_a_file_and_its_folder_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    replace_file(path, b"one")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["b.json"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_others_may_read_what_the_umask_lets_them(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    replace_file(tmp_path / "ours", b"")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "ours")}
    assert len(modes) == 1


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def fail() -> None:
        with draft_of(path, b"new"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "folder", b"new")
    assert path.read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.json", "folder"]


def test_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    contents = [bytes([number]) * 100_000 for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: replace_file(path, content), contents))
    assert path.read_bytes() in contents
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("name", [".", "..", "folder"])
def test_a_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IsADirectoryError):
        replace_file(Path(name), b"one")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        replace_file(pipe, b"content")
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.fixture(params=["handles", "paths"])
def inner(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, for systems with and without handles of folders."""
    monkeypatch.setattr(atomic_file, "HAS_FOLDER_HANDLES", request.param == "handles")
    folder = tmp_path / "inner"
    folder.mkdir()
    return folder


def test_lines_are_appended_to_a_file_of_a_folder(inner: Path) -> None:
    append_inside(inner, "below/x", b"1\n", max_bytes=10)
    append_inside(inner, "below/x", b"2", max_bytes=10)
    append_inside(inner, "below/x", b"3\n", max_bytes=10)
    assert (inner / "below/x").read_bytes() == b"1\n2\n3\n"
    assert [path.name for path in (inner / "below").iterdir()] == ["x"]


@pytest.mark.parametrize("write", [append_inside, replace_inside])
@pytest.mark.parametrize("way", ["below", "below/x"])
def test_nothing_is_written_through_a_link(
    inner: Path, way: str, write: Callable[..., object]
) -> None:
    outside = inner.parent / "outside"
    outside.mkdir()
    (outside / "x").write_text("private")
    (inner / way).parent.mkdir(exist_ok=True)
    (inner / way).symlink_to(outside if way == "below" else outside / "x")
    with pytest.raises(RefusedFileError):
        write(inner, "below/x", b"1\n", max_bytes=10)
    assert [path.name for path in outside.iterdir()] == ["x"]
    assert (outside / "x").read_text() == "private"
    assert (inner / way).is_symlink()


def test_a_file_that_is_too_large_is_not_added_to(inner: Path) -> None:
    (inner / "x").write_bytes(b"12345")
    with pytest.raises(FileTooLargeError):
        append_inside(inner, "x", b"1\n", max_bytes=4)
    assert (inner / "x").read_bytes() == b"12345"


def test_a_file_of_a_folder_is_replaced_and_keeps_its_mode(inner: Path) -> None:
    replace_inside(inner, "below/x", b"1", max_bytes=10)
    (inner / "below/x").chmod(0o600)
    replace_inside(inner, "below/x", b"2", max_bytes=10)
    assert (inner / "below/x").read_bytes() == b"2"
    assert [path.name for path in (inner / "below").iterdir()] == ["x"]
    assert os.name == "nt" or stat.S_IMODE((inner / "below/x").stat().st_mode) == 0o600
