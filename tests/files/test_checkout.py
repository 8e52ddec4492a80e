"""The commit of a checkout, found without running git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lve.files.git import checkout_of


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular, and return what it says."""
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one commit."""
    folder = tmp_path / "checkout"
    (folder / "tests/deep").mkdir(parents=True)
    (folder / "tests/file").write_text("1")
    git(folder, "init", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "x")
    return folder


def head(folder: Path) -> dict[str, str]:
    return {"commit": git(folder, "rev-parse", "HEAD")}


def test_there_is_none_outside_of_a_checkout(tmp_path: Path) -> None:
    if checkout_of(tmp_path) is not None:
        pytest.skip("the temporary folder lies in a checkout")
    assert checkout_of(tmp_path / "nothing") is None


def test_it_is_the_commit_that_git_names(checkout: Path) -> None:
    assert checkout_of(checkout) == checkout_of(checkout / "tests/deep") == head(checkout)
    git(checkout, "commit", "--allow-empty", "-m", "y")
    assert checkout_of(checkout) == head(checkout)


def test_it_is_found_when_references_are_packed(checkout: Path) -> None:
    for name in ("a", "main2", "feature/main", "z"):
        git(checkout, "branch", name)
    git(checkout, "commit", "--allow-empty", "-m", "y")
    git(checkout, "pack-refs", "--all")
    assert not (checkout / ".git/refs/heads/main").exists()
    assert checkout_of(checkout) == head(checkout)


def test_it_is_found_when_no_branch_is_checked_out(checkout: Path) -> None:
    git(checkout, "checkout", "--detach")
    assert checkout_of(checkout) == head(checkout)


def test_it_is_found_in_a_worktree(checkout: Path) -> None:
    git(checkout, "worktree", "add", "-b", "other", "../other")
    other = checkout.parent / "other"
    git(other, "commit", "--allow-empty", "-m", "y")
    assert checkout_of(other) == head(other) != head(checkout)
    git(other, "pack-refs", "--all")
    assert checkout_of(other) == head(other)


def test_there_is_none_before_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert checkout_of(tmp_path) is None


def test_hashes_of_64_digits_are_commits_too(tmp_path: Path) -> None:
    git(tmp_path, "init", "--object-format=sha256")
    git(tmp_path, "commit", "--allow-empty", "-m", "x")
    assert len(head(tmp_path)["commit"]) == 64
    assert checkout_of(tmp_path) == head(tmp_path)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".git/HEAD", "nonsense"),
        (".git/HEAD", "ref: refs/heads/../../../private"),
        (".git/HEAD", "ref: /etc/passwd"),
        (".git/HEAD", "ref: HEAD"),
        pytest.param(".git/HEAD", "a" * 1_000_000, id="endless"),  # pytest 8 hands ids to processes
        (".git/HEAD", "\0" * 41),
        (".git/refs/heads/main", "ref: refs/heads/main"),
        (".git/refs/heads/main", "0123"),
        (".git/commondir", "nowhere\0"),
    ],
)
def test_damaged_files_say_nothing(checkout: Path, file: str, text: str) -> None:
    (checkout.parent / "private").write_text("a" * 40)
    if file != ".git/commondir":
        (checkout / ".git/packed-refs").write_text("")
    else:
        (checkout / ".git/refs/heads/main").unlink()
    (checkout / file).write_text(text)
    assert checkout_of(checkout) is None


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main"])
def test_a_pipe_instead_of_a_file_says_nothing(checkout: Path, name: str) -> None:
    (checkout / ".git" / name).unlink()
    os.mkfifo(checkout / ".git" / name)
    assert checkout_of(checkout) is None
