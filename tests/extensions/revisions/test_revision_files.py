"""What a commit can describe: billions of files in a few kilobytes."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lve.errors import UsageError
from lve.extensions.revisions import revision_files
from lve.extensions.revisions.revision_files import RevisionFile, RevisionFiles

pytest.importorskip("dulwich")
from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, Tree

FILE, FOLDER, LINK, SUBMODULE = stat.S_IFREG | 0o644, stat.S_IFDIR, stat.S_IFLNK, 0o160000
LINE = b'{"args": {}}\n'


class Repository:
    """The objects of a repository."""

    def __init__(self, folder: Path) -> None:
        self.objects = DiskObjectStore.init(folder)

    def blob(self, content: bytes) -> bytes:
        return self._added(Blob.from_string(content))

    def tree(self, entries: Iterable[tuple[str, int, bytes]]) -> bytes:
        tree = Tree()
        for name, mode, sha in entries:
            tree.add(name.encode(), mode, sha)
        return self._added(tree)

    def nested(self, inner: bytes, *, times: int, levels: int) -> bytes:
        """Return a folder that has another one several times, which has ..."""
        for _ in range(levels):
            inner = self.tree((f"d{n}", FOLDER, inner) for n in range(times))
        return inner

    def read(self, tree: bytes, prefix: str = "") -> list[RevisionFile]:
        return list(RevisionFiles(self.objects, prefix).read(tree))

    def _added(self, one: Any) -> bytes:
        self.objects.add_object(one)
        return bytes(one.id)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    opened = Repository(tmp_path / "objects")
    yield opened
    opened.objects.close()


def folder_of(repository: Repository, content: bytes = LINE) -> bytes:
    """Return a test folder."""
    rows = repository.tree([("all.jsonl", FILE, repository.blob(content))])
    document = repository.blob(b"{}")
    return repository.tree([("instances", FOLDER, rows), ("test.json", FILE, document)])


def test_files_of_tests_are_read_and_no_others(repository: Repository) -> None:
    test, blob = folder_of(repository), repository.blob(LINE)
    plain = repository.tree([("all.jsonl", FILE, blob), ("x.txt", FILE, blob)])
    entries = [("a", FOLDER, test), ("b", FOLDER, plain), ("instances", FOLDER, plain)]
    tree = repository.tree([*entries, ("z", FOLDER, plain)])
    files = repository.read(tree)
    assert {(one.test, one.name) for one in files} == {
        *(("a", "instances/all.jsonl"), ("a", "test.json"), (".", "instances/all.jsonl")),
    }
    assert {one.content for one in files} == {LINE, b"{}"}
    assert repository.read(tree, "a/") == [
        RevisionFile(".", "instances/all.jsonl", LINE),
        RevisionFile(".", "test.json", b"{}"),
    ]
    assert repository.read(tree, "b/") == []


def test_links_and_submodules_are_no_files(repository: Repository) -> None:
    """The commit that a submodule names isn't in the repository."""
    nowhere = b"0123456789abcdef0123456789abcdef01234567"
    entries = [("test.json", SUBMODULE, nowhere), ("test.yaml", LINK, repository.blob(b"x"))]
    evil, good = repository.tree(entries), folder_of(repository)
    tree = repository.tree([("evil", FOLDER, evil), ("good", FOLDER, good)])
    assert {one.test for one in repository.read(tree)} == {"good"}


def test_folders_without_tests_are_looked_through_once(repository: Repository) -> None:
    inner = repository.tree([("x.txt", FILE, repository.blob(b"x"))])
    bomb = repository.nested(inner, times=10, levels=9)
    began = time.perf_counter()
    tree = repository.tree([("bomb", FOLDER, bomb), ("good", FOLDER, folder_of(repository))])
    assert {one.test for one in repository.read(tree)} == {"good"}
    assert time.perf_counter() - began < 5


def test_the_folder_of_a_workspace_is_found_in_a_bomb(repository: Repository) -> None:
    bomb = repository.nested(folder_of(repository), times=10, levels=9)
    prefix = "d3/" * 9
    assert {one.test for one in repository.read(bomb, prefix)} == {"."}


@pytest.mark.parametrize(
    ("limit", "most", "says"),
    [
        ("MAX_ENTRIES", 500, "more than 500 files and folders"),
        ("MAX_FILES", 100, "more than 100 files of tests"),
        ("MAX_BYTES", 2_000_000, "more than 2 MB of recorded answers"),
    ],
)
def test_what_is_too_much_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, says: str
) -> None:
    monkeypatch.setattr(revision_files, limit, most)
    bomb = repository.nested(folder_of(repository, b" " * 100_000), times=10, levels=9)
    with pytest.raises(UsageError, match=says):
        repository.read(bomb)


def test_a_path_that_no_checkout_can_have_is_left_out(repository: Repository) -> None:
    deep = repository.nested(folder_of(repository), times=1, levels=2100)
    tree = repository.tree([("deep", FOLDER, deep), ("good", FOLDER, folder_of(repository))])
    assert {one.test for one in repository.read(tree)} == {"good"}
