"""Folders that can't be read: what is left out is said, and never told as "no tests"."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.unprivileged import run_unprivileged

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="modes are POSIX's")

WARNING = (
    "tree/locked: warning: can't be read: Permission denied; tests in it are left out [unreadable]"
)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    workspace(tmp_path)
    write_test(tmp_path / "tree" / "open")
    locked = write_test(tmp_path / "tree" / "locked")
    locked.chmod(0)
    yield tmp_path
    locked.chmod(0o755)


def lve(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run_unprivileged("lve", *args, cwd=root)


@pytest.mark.parametrize("verb", [("run",), ("run", "--dry-run"), ("check",), ("list",), ("show",)])
def test_a_locked_folder_in_a_tree_is_told_and_the_others_are_used(
    root: Path, verb: tuple[str, ...]
) -> None:
    result = lve(root, *verb, "tree")
    assert f"lve: {WARNING}\n" in result.stderr
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("verb", ["run", "check", "list"])
def test_a_locked_folder_that_is_named_is_an_error(root: Path, verb: str) -> None:
    result = lve(root, verb, "tree/locked")
    assert result.stderr == "lve: tree/locked can't be read: Permission denied [unreadable]\n"
    assert result.returncode == 2


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_document_in_a_locked_folder_is_an_error(root: Path, verb: str) -> None:
    result = lve(root, verb, "tree/locked/test.json")
    assert (
        result.stderr
        == "lve: tree/locked/test.json can't be read: Permission denied [unreadable]\n"
    )
    assert result.returncode == 2


def test_a_link_that_leads_to_itself_is_an_error(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    result = lve(root, "check", "loop")
    assert (
        result.stderr == "lve: loop can't be read: Too many levels of symbolic links [unreadable]\n"
    )
    assert result.returncode == 2


def test_python_warns(root: Path) -> None:
    code = "import lve; print([path.as_posix() for path in lve.discover('tree')])"
    (root / "look.py").write_text(code, encoding="utf-8")
    result = run_unprivileged("look", cwd=root)
    assert result.stdout == "['tree/open/test.json']\n"
    assert f"UserWarning: {WARNING}\n" in result.stderr


def test_pytest_tells_it_in_its_own_way(root: Path) -> None:
    result = run_unprivileged("pytest", "tree", "-p", "no:cacheprovider", cwd=root)
    assert "Permission denied" in result.stdout
    assert result.returncode == 2


def test_a_locked_folder_of_instances_makes_its_test_invalid(root: Path) -> None:
    instances = root / "tree" / "open" / "instances"
    instances.mkdir(exist_ok=True)
    instances.chmod(0)
    try:
        for verb in ("run", "check"):
            result = lve(root, verb, "tree/open")
            said = result.stdout + result.stderr
            assert "tree/open/instances: can't be read: Permission denied" in said
            assert result.returncode == 2, said
    finally:
        instances.chmod(0o755)
