"""Which tests of a checkout have changed."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

import pytest
from extensions.contributing.contribution import git, write_clone, write_contribution

from lve.errors import UsageError
from lve.extensions.contributing.changes import Changes, committed, staged, uncommitted
from lve.extensions.contributing.git import checkout_root, pull_request_base
from lve.extensions.contributing.git import git as own_git

HOME = "repository/courtesy/greeting"


@pytest.fixture
def clone(root: Path) -> Path:
    return write_clone(root)


def kinds(changes: Changes) -> dict[str, tuple[str, int]]:
    return {test.folder: (test.kind, len(test.files)) for test in changes.tests}


def test_new_updated_and_deleted_tests(clone: Path) -> None:
    folder = write_contribution(clone)
    write_contribution(clone, "other")
    assert kinds(uncommitted(clone)) == {HOME: ("new", 3), "repository/courtesy/other": ("new", 3)}
    git("add", "--all")
    git("commit", "--quiet", "--message", "tests")
    assert uncommitted(clone) == Changes((), ())
    (folder / "README.md").write_text("# Changed\n")
    rmtree(folder.parent / "other")
    assert kinds(uncommitted(clone)) == {
        HOME: ("updated", 1),
        "repository/courtesy/other": ("deleted", 3),
    }
    assert kinds(committed(clone, "origin/main")) == {
        HOME: ("new", 3),
        "repository/courtesy/other": ("new", 3),
    }


def test_a_file_belongs_to_the_nearest_test_above(clone: Path) -> None:
    folder = write_contribution(clone)
    inner = write_contribution(clone, "greeting/deeper")
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text("")
    (clone / "notes.md").write_text("")
    changes = uncommitted(clone)
    assert kinds(changes) == {HOME: ("new", 4), f"{HOME}/deeper": ("new", 3)}
    assert changes.other == ("notes.md",)
    assert inner.is_dir()


@pytest.mark.parametrize("name", ["-x", ":(top)", "a b", "é", 'q"uote', "new\nline", "*"])
def test_names_are_only_names(clone: Path, name: str) -> None:
    write_contribution(clone, name)
    write_contribution(clone, "other")
    folder = f"repository/courtesy/{name}"
    assert kinds(uncommitted(clone))[folder] == ("new", 3)
    own_git(clone, "add", "--all", "--", folder)
    assert len(staged(clone)) == 3
    assert all(file.startswith(f"{folder}/") for file in staged(clone))


def test_a_repository_without_commits(root: Path, tmp_path: Path) -> None:
    git("init", "--quiet", ".")
    write_contribution(root)
    assert kinds(uncommitted(root)) == {HOME: ("new", 3)}
    assert pull_request_base(root) is None


def test_the_base_is_what_was_fetched(clone: Path) -> None:
    assert pull_request_base(clone) == "origin/main"
    git("update-ref", "-d", "refs/remotes/origin/main")
    assert pull_request_base(clone) == "main"


def test_outside_of_a_clone(root: Path) -> None:
    with pytest.raises(UsageError, match="stand in your clone of the repository"):
        checkout_root(root)


def test_looking_starts_no_program_of_the_configuration(clone: Path) -> None:
    program = clone / ".git" / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {clone}/started\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    uncommitted(clone)
    assert not (clone / "started").exists()
