"""The temporary folder of a sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lve.sandbox import watch
from lve.sandbox.watch import Watch


def test_whatever_is_in_it_is_removed_and_nothing_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o750)
    (outside / "kept").touch()
    one = Watch()
    folder = Path(one.folder)
    (folder / "to").symlink_to(outside)
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "to").symlink_to(outside)
    (folder / "a" / "file").touch()
    (folder / "a" / "b").chmod(0)
    one.close()
    one.close()
    assert not folder.exists()
    assert [file.name for file in outside.iterdir()] == ["kept"]
    assert outside.stat().st_mode & 0o777 == 0o750


def test_folders_deeper_than_a_path_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    monkeypatch.chdir(one.folder)
    for _ in range(1200):
        os.mkdir("deep")  # noqa: PTH102
        os.chdir("deep")
    monkeypatch.undo()
    one.close()
    assert not Path(one.folder).exists()


@pytest.mark.parametrize("obstacle", ["something still writes", "nothing can be removed"])
def test_a_folder_that_stays_is_told(monkeypatch: pytest.MonkeyPatch, obstacle: str) -> None:
    one = Watch()
    has_ended = obstacle == "nothing can be removed"
    with monkeypatch.context() as patch:
        if has_ended:
            patch.setattr(watch, "remove_held", lambda handle, folder: False)
        with pytest.warns(RuntimeWarning) as warned:
            one.close(remove=has_ended)
    [warning] = warned
    assert str(warning.message) == (
        f"the temporary folder {one.folder} of a test's code can't be removed now"
    )
    assert Path(one.folder).is_dir()
    Path(one.folder).rmdir()
    one.close()  # a second time: nothing is told


def test_a_fork_of_lve_leaves_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    owner = os.getpid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: owner + 1)
        one.close()
    assert Path(one.folder).is_dir()
    one.close()


def test_what_is_below_the_limits_is_no_excess(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Watch()
    (Path(one.folder) / "some").write_bytes(b"x" * 1_000_000)
    assert one.exceeded_limit(0, None) is None
    monkeypatch.setattr(watch, "MAX_FOLDER_BYTES", 500_000)
    assert one.exceeded_limit(0, None) is None, "it isn't counted each time"
    monkeypatch.setattr(watch, "COUNT_S", 0.0)
    assert "filled its temporary folder" in str(one.exceeded_limit(0, None))
    one.close()
