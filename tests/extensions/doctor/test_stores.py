"""`lve doctor` on the folder of sessions and cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.doctor.doctor import findings
from support.folders import workspace
from support.unprivileged import run_unprivileged

STORES = "sessions and cache"
pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="modes and limits of POSIX")


def test_a_folder_that_nobody_can_make_is_bad_and_stops_nothing(root: Path) -> None:
    code, found = findings("--offline", "--session-dir", str(root / ("a" * 300)))
    assert code == 2
    assert found[STORES, "folder"]["status"] == "bad"
    assert found[STORES, "folder"]["text"].endswith(" can't be written: File name too long")
    assert "--session-dir" in found[STORES, "folder"]["hint"]
    assert found[STORES, "cache"]["text"] == "none yet"


def test_a_file_in_the_place_of_the_folder_is_bad(root: Path) -> None:
    (root / "state").write_text("a file")
    (root / "state").chmod(0o755)
    _, found = findings("--offline", "--session-dir", str(root / "state"))
    assert found[STORES, "folder"]["status"] == "bad"


def test_what_is_in_a_locked_folder_is_bad(tmp_path: Path) -> None:
    locked = workspace(tmp_path) / "locked"
    (locked / "in").mkdir(parents=True)
    locked.chmod(0)
    words = ("lve", "doctor", "--offline", "--json", "--session-dir", "locked/in")
    done = run_unprivileged(*words, cwd=tmp_path)
    locked.chmod(0o755)
    assert done.returncode == 2, done.stderr
    found = {one["what"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["folder"]["text"] == "locked/in can't be written: Permission denied"


def test_a_folder_that_is_not_there_yet_is_well(root: Path) -> None:
    _, found = findings("--offline", "--session-dir", str(root / "new" / "deep"))
    assert found[STORES, "folder"]["status"] == "good"
