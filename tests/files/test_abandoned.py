"""Drafts of killed processes are removed, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

from lve.files.abandoned import ABANDONED_S, remove_abandoned
from lve.files.atomic_file import replacing


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then), follow_symlinks=False)


def test_old_drafts_go_and_all_else_stays(tmp_path: Path) -> None:
    (tmp_path / ".draft-0123456789abcdef").write_text("left by a killed process")
    (tmp_path / ".draft-mkd_temp").mkdir()
    (tmp_path / ".draft-mkd_temp" / "new").mkdir()
    staying = (".draft-", ".draft-my notes.txt", "x.draft-01", "report.html")
    for name in staying:
        (tmp_path / name).write_text("somebody's")
    age(tmp_path / ".draft-mkd_temp" / "new", ABANDONED_S + 60)
    for one in tmp_path.iterdir():
        age(one, ABANDONED_S + 60)
    (tmp_path / ".draft-fresh").write_text("being written")
    remove_abandoned(tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == {*staying, ".draft-fresh"}


def test_a_folder_whose_files_are_written_is_not_abandoned(tmp_path: Path) -> None:
    folder = tmp_path / "merging-1"
    folder.mkdir()
    (folder / "results.jsonl").write_text("growing")
    age(folder, ABANDONED_S + 60)
    remove_abandoned(tmp_path, "merging-")
    assert folder.is_dir()
    age(folder / "results.jsonl", ABANDONED_S + 60)
    remove_abandoned(tmp_path, "merging-")
    assert not folder.exists()


def test_a_link_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "file").write_text("mine")
    place = tmp_path / "place"
    place.mkdir()
    (place / ".draft-link").symlink_to(home)
    age(place / ".draft-link", ABANDONED_S + 60)
    remove_abandoned(place)
    assert [*place.iterdir()] == []
    assert (home / "file").read_text() == "mine"


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "none")


def test_the_next_report_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    left = tmp_path / ".draft-0123456789abcdef"
    left.write_text("half a report")
    age(left, ABANDONED_S + 60)
    with replacing(tmp_path / "report.html") as file:
        file.write(b"whole")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
