"""Opening files inside a folder."""

from __future__ import annotations

import os
import socket
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.files import inside
from lve.files.inside import (
    BLOCK_BYTES,
    FileTooLargeError,
    OutsideError,
    RefusedFileError,
    list_inside,
    open_inside,
    read_handle,
    read_inside,
    read_regular,
)


@pytest.fixture(params=["walked", "resolved"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some files, for systems with and without handles of folders."""
    monkeypatch.setattr(inside, "HAS_FOLDER_HANDLES", request.param == "walked")
    folder = tmp_path / "folder"
    (folder / "below/deep").mkdir(parents=True)
    (folder / "file").write_text("file")
    (folder / "below/deep/file").write_text("deep")
    (tmp_path / "private").write_text("private")
    (tmp_path / "folder2").mkdir()
    (tmp_path / "folder2/file").write_text("private")
    return folder


def link(folder: Path, name: str, target: str) -> str:
    (folder / name).symlink_to(target)
    return name


@pytest.mark.parametrize("name", ["file", "./file", "below/../file", "below//..//file"])
def test_a_file_of_the_folder_is_read(folder: Path, name: str) -> None:
    assert read_inside(folder, name, 4) == b"file"
    with open_inside(folder, name) as stream:
        assert stream.read() == b"file"


def test_a_file_further_below_is_read_by_name_and_by_path(folder: Path) -> None:
    assert read_inside(folder, "below/deep/file", 10) == b"deep"
    assert read_inside(folder, folder / "below/deep/file", 10) == b"deep"


def test_the_folder_may_be_relative(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert read_inside(Path("folder"), Path("folder/below/deep/file"), 10) == b"deep"
    assert read_inside("folder", "file", 10) == b"file"
    monkeypatch.chdir(folder)
    assert read_inside(Path(), Path("below/deep/file"), 10) == b"deep"
    assert list_inside(Path()) == ["below", "file"]


def test_the_folder_may_be_reached_through_a_link(folder: Path) -> None:
    link(folder.parent, "way", "folder")
    assert read_inside(folder.parent / "way", "below/deep/file", 10) == b"deep"


@pytest.mark.parametrize(
    ("name", "target", "wanted"),
    [
        ("link", "file", "link"),
        ("link", "below/deep/file", "link"),
        ("link", "below", "link/deep/file"),
        ("below/link", "../file", "below/link"),
        ("below/link", "../below/deep", "below/link/file"),
        ("link", "../folder/file", "link"),
    ],
)
def test_a_link_that_stays_inside_is_followed(
    folder: Path, name: str, target: str, wanted: str
) -> None:
    link(folder, name, target)
    assert read_inside(folder, wanted, 10) in (b"file", b"deep")


@pytest.mark.parametrize(
    ("name", "target", "wanted"),
    [
        ("link", "../private", "link"),
        ("link", "../folder2/file", "link"),  # the folder's name is only the beginning of its
        ("link", "..", "link/private"),
        ("below/link", "../../folder2", "below/link/file"),
        ("link", "/dev/zero", "link"),
        ("link", "../nothing", "link"),
        ("file2", "file", "../private"),
        ("file2", "file", "below/../../private"),
        ("file2", "file", "/etc/passwd"),
    ],
)
def test_a_way_out_of_the_folder_is_refused(
    folder: Path, name: str, target: str, wanted: str
) -> None:
    link(folder, name, target)
    with pytest.raises(OutsideError, match="outside its folder"):
        read_inside(folder, wanted, 10)
    with pytest.raises(OutsideError):
        open_inside(folder, wanted)


def test_a_link_to_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    link(folder, "one", "two")
    link(folder, "two", "../private")
    with pytest.raises(OutsideError):
        read_inside(folder, "one", 10)


@pytest.mark.parametrize("opened", ["loop", "loop/file"])
def test_a_link_to_itself_is_an_error(folder: Path, opened: str) -> None:
    link(folder, "loop", "loop")
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        read_inside(folder, opened, 10)


def test_what_is_not_there_is_not_found(folder: Path) -> None:
    for name in ("nothing", "below/nothing", "nothing/nothing"):
        with pytest.raises(FileNotFoundError):
            read_inside(folder, name, 10)
    with pytest.raises(NotADirectoryError):
        read_inside(folder, "file/nothing", 10)


def test_a_folder_is_no_file(folder: Path) -> None:
    for opened in (lambda: read_inside(folder, "below", 1), lambda: read_regular(folder, 1)):
        with pytest.raises(IsADirectoryError):
            opened()


@pytest.mark.parametrize("name", ["a\0b", "\ud800\0"])
def test_what_is_no_file_name_is_refused(folder: Path, name: str) -> None:
    with pytest.raises((RefusedFileError, ValueError)):
        read_inside(folder, name, 10)


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


@pytest.mark.parametrize("make", [make_fifo, make_socket])
def test_a_pipe_or_socket_is_refused_at_once(
    folder: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    make(folder / "below/special")
    link(folder, "link", "below/special")
    for name in ("below/special", "link"):
        with pytest.raises(RefusedFileError, match="not a regular file"):
            read_inside(folder, name, 10)
        with pytest.raises(RefusedFileError, match="not a regular file"):
            read_regular(folder / name, 10)


def test_a_device_is_refused() -> None:
    with pytest.raises(RefusedFileError, match="not a regular file"):
        read_regular("/dev/zero", 10)


def test_a_file_that_the_user_names_may_be_a_link(folder: Path) -> None:
    link(folder, "link", "../private")
    assert read_regular(folder / "link", 7) == b"private"


def test_a_file_of_exactly_the_limit_is_read_and_a_larger_one_not(folder: Path) -> None:
    assert read_inside(folder, "file", 4) == b"file"
    with pytest.raises(FileTooLargeError, match="larger than 3 bytes"):
        read_inside(folder, "file", 3)
    (folder / "file").write_bytes(b"x" * 2_000_001)
    with pytest.raises(FileTooLargeError, match="larger than 2 MB"):
        read_regular(folder / "file", 2_000_000)


def test_a_file_of_a_terabyte_costs_no_more_than_the_limit(folder: Path) -> None:
    os.truncate(folder / "file", 10**12)
    tracemalloc.start()
    try:
        with pytest.raises(FileTooLargeError):
            read_inside(folder, "file", 1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()


def test_a_file_that_says_it_is_empty_is_read_to_its_end() -> None:
    path = Path("/proc/self/maps")
    if not path.exists():
        pytest.skip("no /proc")
    assert path.stat().st_size == 0
    assert len(read_regular(path, 10_000_000).splitlines()) > 20
    with pytest.raises(FileTooLargeError):
        read_regular(path, 100)


def test_a_folder_is_listed_unless_it_is_elsewhere(folder: Path) -> None:
    link(folder, "link", "below")
    link(folder, "way", "../folder2")
    assert list_inside(folder, "link") == ["deep"]
    with pytest.raises(OutsideError):
        list_inside(folder, "way")
    with pytest.raises(NotADirectoryError):
        list_inside(folder, "file")


def test_what_takes_the_place_of_a_checked_step_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder is replaced between resolving a link and opening its target."""
    if not inside.HAS_FOLDER_HANDLES:
        pytest.skip("there, only most of the time between check and use is closed")
    link(folder, "link", "below/deep/file")
    resolve = inside._resolved

    def exchange(*args: str) -> tuple[str, str]:
        resolved = resolve(*args)
        (folder / "below").rename(folder / "moved")
        (folder.parent / "folder2/deep").mkdir()
        (folder.parent / "folder2/deep/file").write_text("private")
        link(folder, "below", "../folder2")
        return resolved

    monkeypatch.setattr(inside, "_resolved", exchange)
    with pytest.raises(NotADirectoryError):
        read_inside(folder, "link", 10)


def test_no_handle_stays_open(folder: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc")
    os.mkfifo(folder / "pipe")
    link(folder, "way", "../private")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name in ("file", "below/deep/file", "pipe", "way", "below", "nothing", "file/x", "a/b/c"):
        try:
            read_inside(folder, name, 2)
        except OSError:
            continue
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize(
    ("size", "limit", "is_read"),
    [
        (0, 0, True),
        (1, 0, False),
        (5, 5, True),
        (6, 5, False),
        *((BLOCK_BYTES + more, 4 * BLOCK_BYTES, True) for more in (-1, 0, 1)),
        (4 * BLOCK_BYTES, 4 * BLOCK_BYTES, True),
        (4 * BLOCK_BYTES + 1, 4 * BLOCK_BYTES, False),
        (BLOCK_BYTES, BLOCK_BYTES, True),
        (BLOCK_BYTES + 1, BLOCK_BYTES, False),
    ],
)
def test_a_file_is_read_whole_up_to_the_limit(
    tmp_path: Path, size: int, limit: int, is_read: bool
) -> None:
    content = bytes(n * n % 251 for n in range(size))
    (tmp_path / "file").write_bytes(content)
    handle = os.open(tmp_path / "file", os.O_RDONLY)
    if is_read:
        assert read_handle(handle, "file", limit) == content
    else:
        with pytest.raises(FileTooLargeError):
            read_handle(handle, "file", limit)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(handle)
