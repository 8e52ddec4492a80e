"""Folders are removed without following a path that somebody else changes meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.unprivileged import run_unprivileged

from lve.sandbox import removal
from lve.sandbox.removal import open_folder, remove_held, remove_tree, temporary_folder

needs_handles = pytest.mark.skipif(
    not removal.HAS_FOLDER_HANDLES, reason="no handles of folders on this system"
)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder outside of the one that is removed."""
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("a", "b", "c"):
        (victim / name).write_text(name)
    (victim / "inner").mkdir()
    (victim / "inner" / "kept").touch()
    victim.chmod(0o750)
    return victim


def is_untouched(victim: Path) -> bool:
    names = sorted(file.name for file in victim.rglob("*"))
    return names == ["a", "b", "c", "inner", "kept"] and victim.stat().st_mode & 0o777 == 0o750


def tree(place: Path) -> Path:
    (place / "a" / "b").mkdir(parents=True)
    for name in ("a/1", "a/b/2", "3"):
        (place / name).touch()
    return place


def test_all_of_it_goes_and_nothing_else(tmp_path: Path, victim: Path) -> None:
    place = tree(tmp_path / "x")
    (place / "a" / "to").symlink_to(victim)
    (place / "to").symlink_to(victim)
    (place / "a" / "b").chmod(0)
    os.mkfifo(place / "pipe")
    assert remove_tree(place)
    assert not place.exists()
    assert remove_tree(place), "nothing is left of what isn't there"
    assert is_untouched(victim)


def test_a_link_or_a_file_is_left_alone(tmp_path: Path, victim: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(victim)
    assert not remove_tree(link)
    assert not remove_tree(victim / "a")
    assert link.is_symlink()
    assert is_untouched(victim)


@needs_handles
def test_folders_of_any_depth_need_few_open_files(tmp_path: Path) -> None:
    place = tmp_path / "x"
    place.mkdir()
    (handle,) = handles = [os.open(place, os.O_RDONLY)]
    for _ in range(1200):
        os.mkdir("deep", dir_fd=handle)
        handles.append(os.open("deep", os.O_RDONLY, dir_fd=handle))
        os.close(handle)
        handle = handles[-1]
    os.close(handle)
    opened: list[int] = []
    count = Counting(opened)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(removal.os, "open", count.open)
        patch.setattr(removal.os, "close", count.close)
        assert remove_tree(place)
    assert not place.exists()
    assert count.most <= 3


class Counting:
    """Counts open files."""

    def __init__(self, opened: list[int]) -> None:
        self.opened, self.most = opened, 0
        self._open, self._close = os.open, os.close

    def open(self, *args: Any, **more: Any) -> int:
        handle = self._open(*args, **more)
        self.opened.append(handle)
        self.most = max(self.most, len(self.opened))
        return handle

    def close(self, handle: int) -> None:
        self.opened.remove(handle)
        self._close(handle)


MODES = """
import os, sys
from pathlib import Path
from lve.sandbox.removal import remove_tree
place = Path("x")
for mode in (0, 0o300, 0o100, 0o400, 0o500):
    folder = place / oct(mode) / "inner"
    folder.mkdir(parents=True)
    (folder / "file").touch()
    (folder / "empty").mkdir(mode=mode)
    folder.chmod(mode)
    folder.parent.chmod(mode)
place.chmod(int(sys.argv[1], 8))
assert remove_tree(place)
assert not place.exists()
"""


@needs_handles
@pytest.mark.parametrize("mode", ["0o700", "0o300", "0o000"])
def test_its_owner_may_lack_the_rights(tmp_path: Path, mode: str) -> None:
    (tmp_path / "modes.py").write_text(MODES)
    ran = run_unprivileged("modes", mode, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


Swap = Callable[[], None]


def swapping(place: Path, victim: Path) -> Swap:
    """Return what puts a link to the victim in the place of a folder, once."""

    def swap() -> None:
        if not place.is_symlink():
            place.parent.chmod(0o700)  # it can't be moved otherwise
            place.chmod(0o700)
            place.rename(place.parent.parent / "moved")
            place.symlink_to(victim)

    return swap


@needs_handles
@pytest.mark.parametrize("call", ["open", "unlink", "rename", "fchmod", "scandir", "rmdir"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("swapped", ["x/a", "x/a/inner"])
@pytest.mark.parametrize("nth", [1, 2, 4])
def test_a_folder_that_is_swapped_at_any_moment_leads_nowhere(
    call: str,
    when: str,
    swapped: str,
    nth: int,
    tmp_path: Path,
    victim: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "x"
    (place / "a" / "inner").mkdir(parents=True)
    for folder in (place / "a", place / "a" / "inner"):
        for name in ("a", "b", "c"):
            (folder / name).touch()
        folder.chmod(0o500)
    swap, real, calls = swapping(tmp_path / swapped, victim), getattr(os, call), 0

    def called(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and when == "before" and (tmp_path / swapped).is_dir():
            swap()
        result = real(*args, **more)
        if calls == nth and when == "after" and (tmp_path / swapped).is_dir():
            swap()
        return result

    with monkeypatch.context() as patch:
        patch.setattr(removal.os, call, called)
        remove_tree(place)
    assert is_untouched(victim)


@needs_handles
def test_a_folder_that_is_elsewhere_by_now_is_emptied_there(tmp_path: Path, victim: Path) -> None:
    place = tree(tmp_path / "x")
    handle = open_folder(place)
    place.rename(tmp_path / "moved")
    place.symlink_to(victim)
    assert not remove_held(handle, place)
    assert (list((tmp_path / "moved").iterdir()), place.is_symlink()) == ([], True)
    place.unlink()
    place.mkdir()
    assert not remove_held(handle, place)
    os.close(handle)
    assert place.is_dir(), "another folder"
    assert is_untouched(victim)


@needs_handles
def test_what_is_mounted_in_it_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tree(tmp_path / "x")
    inner = (place / "a" / "b").stat().st_ino
    real = os.fstat

    def fstat(handle: int) -> os.stat_result:
        found = real(handle)
        if found.st_ino != inner:
            return found
        return os.stat_result((*found[:2], found.st_dev + 1, *found[3:]))

    monkeypatch.setattr(removal.os, "fstat", fstat)
    assert not remove_tree(place)
    monkeypatch.undo()
    assert [file.name for file in place.rglob("2")] == ["2"]


@needs_handles
def test_the_time_is_limited(tmp_path: Path) -> None:
    place = tree(tmp_path / "x")
    assert not remove_tree(place, limit_s=-1)
    assert (place / "3").exists()
    assert remove_tree(place)


def test_a_temporary_folder_goes_after_the_block() -> None:
    with temporary_folder("lve-test-") as folder:
        assert folder.stat().st_mode & 0o077 == 0
        tree(folder / "x")
    assert not folder.exists()


def test_without_handles_of_folders_it_is_removed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "HAS_FOLDER_HANDLES", False)
    assert remove_tree(tree(tmp_path / "x"))
    assert not (tmp_path / "x").exists()
