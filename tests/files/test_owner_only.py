"""Sessions and cache belong to the user alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lve.files.inside import RefusedFileError
from lve.files.owner_only import (
    check_private_file,
    check_private_folder,
    make_private_folder,
    open_private,
    read_private,
)

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="modes are POSIX's")


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277], ids=oct)
def any_umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever the user's umask."""
    old = os.umask(request.param)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def make_link(path: Path) -> None:
    path.with_name("elsewhere").write_text("private")
    path.symlink_to("elsewhere")


def make_dangling_link(path: Path) -> None:
    path.symlink_to("new")


def make_foreign(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    path.write_text("planted")
    os.chown(path, 12345, -1)


SPECIAL = pytest.mark.parametrize("make", [make_link, make_dangling_link, os.mkfifo, make_foreign])


@pytest.mark.usefixtures("any_umask")
def test_a_folder_is_its_users_alone(tmp_path: Path) -> None:
    for _ in range(2):
        make_private_folder(tmp_path / "a")
        assert mode(tmp_path / "a") == 0o700


def test_a_folder_of_an_older_version_becomes_private(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o775)
    make_private_folder(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o700


def test_a_folder_that_is_there_can_be_refused(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a", exist_ok=False)
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "a", exist_ok=False)


def test_the_folders_above_are_made_as_usual(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        make_private_folder(tmp_path / "a/b")
    finally:
        os.umask(old)
    assert (mode(tmp_path / "a"), mode(tmp_path / "a/b")) == (0o755, 0o700)


def test_a_link_to_a_folder_is_refused_and_changes_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    before = mode(tmp_path / "elsewhere")
    (tmp_path / "a").symlink_to("elsewhere")
    for refuse in (make_private_folder, check_private_folder):
        with pytest.raises(RefusedFileError, match="a link"):
            refuse(tmp_path / "a")
    assert mode(tmp_path / "elsewhere") == before


def test_another_users_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    os.chown(tmp_path / "a", 12345, -1)
    with pytest.raises(RefusedFileError, match="another user's"):
        make_private_folder(tmp_path / "a")


@pytest.mark.usefixtures("any_umask")
def test_a_file_is_never_anybody_elses_to_read(tmp_path: Path) -> None:
    os.close(open_private(tmp_path / "a", os.O_RDWR | os.O_CREAT))
    assert mode(tmp_path / "a") & 0o177 == 0


def test_a_file_of_an_older_version_becomes_private(tmp_path: Path) -> None:
    for name, use in (("a", lambda path: read_private(path, 10)), ("b", check_private_file)):
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(0o664)
        use(tmp_path / name)
        assert mode(tmp_path / name) == 0o600


@SPECIAL
def test_what_is_not_ones_own_file_is_refused_at_once(tmp_path: Path, make: object) -> None:
    make(tmp_path / "a")  # type: ignore[operator] # a function of a path
    with pytest.raises(RefusedFileError):
        read_private(tmp_path / "a", 10)
    with pytest.raises(RefusedFileError):
        open_private(tmp_path / "a", os.O_RDWR | os.O_CREAT)
    with pytest.raises(RefusedFileError):
        check_private_file(tmp_path / "a")
    assert not (tmp_path / "new").exists()


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    check_private_file(tmp_path / "a")
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "a", 10)
