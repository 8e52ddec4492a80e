"""Whether git tracks files in a folder, with indexes that real git wrote."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lve.files.git import is_tracked

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, **QUIET},
    )


def repository(folder: Path, *options: str, version: int = 2) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", *options)
    git(folder, "config", "index.version", str(version))
    return folder


def add(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    git(root, "add", "-f", *names)


LONG = "suite/" + "long" * 40
SAYS = [
    pytest.param(".lve/runs/x/session.json", ".lve", True, id="of the repository"),
    pytest.param(f"{LONG}/.lve/cache.db", f"{LONG}/.lve", True, id="further below"),
    pytest.param("a/.LVE/cache.db", "a/.lve", True, id="capitals"),
    pytest.param(".lve", ".lve", True, id="the folder itself, as a link"),
    pytest.param("a/.lve/cache.db", ".lve", False, id="another's"),
    pytest.param("b.lve/cache.db", ".lve", False, id="of a similar name"),
    pytest.param(".lvex", ".lve", False, id="of a longer name"),
]


@pytest.mark.parametrize("version", [2, 4])
@pytest.mark.parametrize(("file", "folder", "expected"), SAYS)
def test_what_git_keeps(
    tmp_path: Path, version: int, file: str, folder: str, expected: bool
) -> None:
    root = repository(tmp_path / "repo", version=version)
    add(root, "a/test.json", file, "z.txt")
    assert is_tracked(root / folder) is expected


def test_an_entry_with_further_flags(tmp_path: Path) -> None:
    """`git add -N` makes an index of version 3."""
    root = repository(tmp_path / "repo")
    (root / ".lve").mkdir()
    (root / ".lve" / "cache.db").write_text("")
    git(root, "add", "-f", "-N", ".lve/cache.db")
    assert (root / ".git" / "index").read_bytes()[4:8] == b"\0\0\0\3"
    assert is_tracked(root / ".lve")


@pytest.mark.parametrize("version", [2, 4])
def test_a_repository_of_longer_sums(tmp_path: Path, version: int) -> None:
    root = repository(tmp_path / "repo", "--object-format=sha256", version=version)
    add(root, "a.txt", "sub/.lve/cache.db")
    assert is_tracked(root / "sub" / ".lve")
    assert not is_tracked(root / ".lve")


def test_an_index_in_two_parts(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    add(root, ".lve/cache.db")
    git(root, "update-index", "--split-index")
    add(root, "later.txt")
    assert b".lve" not in (root / ".git" / "index").read_bytes()
    assert is_tracked(root / ".lve")


def test_a_work_tree_and_a_clone(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo")
    add(root, ".lve/cache.db")
    git(root, "commit", "-q", "-m", "m")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", str(root), "clone")
    assert is_tracked(tmp_path / "tree" / ".lve")
    assert is_tracked(tmp_path / "clone" / ".lve")
    (tmp_path / "link").symlink_to(tmp_path / "clone")
    assert is_tracked(tmp_path / "link" / ".lve")


def test_a_work_tree_of_a_repository_of_longer_sums(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", "--object-format=sha256", version=4)
    add(root, "a.txt", "sub/.lve/cache.db")
    git(root, "commit", "-q", "-m", "m")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path / "tree", "update-index", "--index-version", "4")
    assert is_tracked(tmp_path / "tree" / "sub" / ".lve")


def test_what_is_no_repository(tmp_path: Path) -> None:
    assert not is_tracked(tmp_path / ".lve")
    (tmp_path / ".git").write_text("gitdir: nowhere\0")
    assert not is_tracked(tmp_path / ".lve")


BROKEN = [
    b"",
    b"DIRC",
    b"DIRC\0\0\0\2\0\0\0\1",
    b"DIRC\0\0\0\4\xff\xff\xff\xff" + b"\xff" * 1000,
    b"DIRC\0\0\0\4\xff\xff\xff\xff" + b"\0" * 1000,
    b"DIRC\0\0\0\4\xff\xff\xff\xff" + (b"\0" * 62 + b"\0" + b"a" * 900 + b"\0") * 300,
    b"DIRC\0\0\0\2\0\0\0\1" + b".lve/" * 1000,
]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_index_has_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_bytes(content)
    assert not is_tracked(tmp_path / ".lve")


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
def test_an_index_that_nobody_writes_to(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "index")
    assert not is_tracked(tmp_path / ".lve")


def test_a_name_that_shares_little_with_a_long_one_before(tmp_path: Path) -> None:
    """In an index of version 4 the number of characters that differ takes two bytes then."""
    root = repository(tmp_path / "repo", version=4)
    add(root, f"suite/{'a' * 150}", "suite/b/.lve/cache.db")
    assert is_tracked(root / "suite/b/.lve")
