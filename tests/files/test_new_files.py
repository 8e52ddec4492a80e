"""New files and folders are complete, and never replace others."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from lve.files.inside import RefusedFileError
from lve.files.new_files import write_new_file, write_new_folder


def names(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def test_a_folder_comes_with_all_of_its_files(tmp_path: Path) -> None:
    write_new_folder(tmp_path / "a" / "b", {"x.txt": b"x", "c/d/y.txt": b"y"})
    assert (tmp_path / "a/b/c/d/y.txt").read_bytes() == b"y"
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["b"], "no draft is left"


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".draft-left").mkdir()
    os.utime(tmp_path / ".draft-left", (0, 0))
    write_new_folder(tmp_path / "a", {"x": b"1"})
    assert names(tmp_path) == ["a"]


def test_an_empty_folder_is_filled_and_another_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_new_folder(tmp_path / "empty", {"x": b"1"})
    with pytest.raises(FileExistsError):
        write_new_folder(tmp_path / "empty", {"y": b"2"})
    assert names(tmp_path / "empty") == ["x"]


@pytest.mark.parametrize("is_dangling", [True, False])
def test_a_link_is_no_place_for_a_folder(tmp_path: Path, is_dangling: bool) -> None:
    target = tmp_path / "target"
    if not is_dangling:
        target.mkdir()
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(FileExistsError):
        write_new_folder(tmp_path / "link", {"x": b"1"})
    assert not is_dangling or not target.exists()


def test_a_folder_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"File name too long|Is a directory|Not a directory"):
        write_new_folder(tmp_path / "a", {"x": b"1", "y" * 300: b"2"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_never_written_over_another(tmp_path: Path) -> None:
    write_new_file(tmp_path, "a/b.txt", b"first")
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path, "a/b.txt", b"second")
    assert (tmp_path / "a/b.txt").read_bytes() == b"first"
    assert names(tmp_path / "a") == ["b.txt"]


def test_a_file_that_appears_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"first")
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path, "a.txt", b"second")
    assert (tmp_path / "a.txt").read_bytes() == b"first"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "a").symlink_to(outside)
    with pytest.raises(RefusedFileError, match="a link"):
        write_new_file(inside, "a/b.txt", b"x")
    (inside / "c.txt").symlink_to(outside / "c.txt")
    with pytest.raises(FileExistsError):
        write_new_file(inside, "c.txt", b"x")
    assert list(outside.iterdir()) == []


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", link)
    write_new_file(tmp_path, "a.txt", b"x")
    assert (tmp_path / "a.txt").read_bytes() == b"x"
    assert names(tmp_path) == ["a.txt"]
