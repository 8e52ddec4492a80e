"""Folders that are links, which pytest follows and ends all the same, and paths with `..`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.forked import python

DEADLINE_S = 60


def run_pytest(root: Path, *arguments: str) -> str:
    """Run it in another process, which can be ended if it follows links for ever."""
    done = subprocess.run(
        [*python(), "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a test of a model and a Python test."""
    root = workspace(tmp_path / "root")
    write_test(root / "tree/test")
    (root / "tree/python").mkdir()
    (root / "tree/python/test_x.py").write_text("def test_x(): pass\n")
    return root


def test_links_to_folders_above_them_are_not_followed(root: Path) -> None:
    for number in range(20):
        (root / f"tree/up{number}").symlink_to(".")
        (root / f"tree/test/up{number}").symlink_to("..")
    assert "2 passed" in run_pytest(root)


def test_folders_that_link_to_each_other_are_followed_once(root: Path) -> None:
    folders = [root / f"tree/folder{number}" for number in range(8)]
    for folder in folders:
        folder.mkdir()
    for folder in folders:
        for other in folders:
            if other is not folder:
                (folder / other.name).symlink_to(f"../{other.name}")
    assert "2 passed" in run_pytest(root)


def test_another_link_is_followed_as_ever(
    root: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "elsewhere").mkdir()
    (root / "elsewhere/test_y.py").write_text("def test_y(): pass\n")
    (root / "tree/linked").symlink_to("../elsewhere")
    monkeypatch.chdir(root)
    pytester.runpytest().assert_outcomes(passed=4)


@pytest.mark.parametrize("path", ["../root/tree", "../root/tree/test", "../other/../root/tree"])
def test_a_path_may_lead_up(
    path: str,
    root: Path,
    tmp_path: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = workspace(tmp_path / "other")
    write_test(root / "left_out/test")
    (root / "tree/python/test_x.py").unlink()
    monkeypatch.chdir(other)
    pytester.runpytest(path).assert_outcomes(passed=1)
