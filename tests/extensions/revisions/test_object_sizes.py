"""How large objects of a git repository are, loose and packed, and as deltas."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lve.errors import UsageError
from lve.extensions.revisions.object_sizes import check_size, limit_objects

pytest.importorskip("dulwich")
SIZES = (0, 1, 15, 16, 127, 128, 2_000, 70_000, 300_000)


def git(folder: Path, *arguments: str, **more: Any) -> bytes:
    command = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
    return subprocess.run(command, check=True, capture_output=True, **more).stdout


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    """The objects of a repository with files of several sizes and with deltas."""
    from dulwich.repo import Repo

    git(tmp_path, "init", "-q")
    for size in SIZES:
        (tmp_path / f"{size}").write_bytes(random.Random(size).randbytes(size))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    content = bytearray((tmp_path / "70000").read_bytes())
    for number in range(5):  # deltas of deltas
        content[number * 9_000 : number * 9_000 + 4_000] = random.Random(number).randbytes(4_010)
        (tmp_path / "70000").write_bytes(content)
        git(tmp_path, "commit", "-qam", "more")
    with closing(Repo(tmp_path)) as repository:
        yield repository.object_store


def sizes(store: Any) -> dict[bytes, int]:
    """Return what git says of all objects."""
    folder = Path(store.path).parent
    said = git(folder, "cat-file", "--batch-all-objects", "--batch-check")
    rows = [line.split() for line in said.splitlines()]
    return {name: int(size) for name, _, size in rows}


def check_all(store: Any) -> None:
    for name, size in sizes(store).items():
        check_size(store, name, size, "x")
        if size:
            with pytest.raises(UsageError, match=f"x is too large: {size:,} bytes"):
                check_size(store, bytes.fromhex(name.decode()), size - 1, "x")


def test_the_size_of_a_loose_object_is_gits(store: Any) -> None:
    assert not list(Path(store.pack_dir).glob("*.pack"))
    check_all(store)


@pytest.mark.parametrize("option", ["--no-reuse-delta", "--delta-base-offset"])
def test_the_size_of_a_packed_object_is_gits_or_that_of_what_it_needs(
    store: Any, option: str
) -> None:
    names = b"\n".join(sizes(store))
    pack = Path(store.pack_dir, "pack")
    git(Path(store.path).parent, "pack-objects", "-q", option, str(pack), input=names)
    git(Path(store.path).parent, "prune-packed")
    for name, size in sizes(store).items():
        check_size(store, name, max(size, 70_050), "x")
        with pytest.raises(UsageError):
            check_size(store, name, size - 1, "x")
    assert b"chain length = 2" in git(
        Path(store.path).parent, "verify-pack", "-v", *map(str, Path(store.pack_dir).glob("*.idx"))
    )


def test_what_needs_something_large_is_large(store: Any, tmp_path: Path) -> None:
    """A small object can be a delta to a large one."""
    small = git(tmp_path, "hash-object", "-w", "--stdin", input=random.Random(1).randbytes(90_000))
    large = git(
        tmp_path, "hash-object", "-w", "--stdin", input=random.Random(1).randbytes(90_000) * 2
    )
    git(tmp_path, "pack-objects", "-q", str(Path(store.pack_dir, "pack")), input=small + large)
    git(tmp_path, "prune-packed")
    check_size(store, large.strip(), 180_000, "x")
    with pytest.raises(UsageError, match="180,000 bytes"):
        check_size(store, small.strip(), 179_999, "x")


def test_objects_of_another_repository_are_limited_too(store: Any, tmp_path: Path) -> None:
    from dulwich.repo import Repo

    git(tmp_path, "clone", "-qs", str(tmp_path), str(tmp_path / "clone"))
    with closing(Repo(tmp_path / "clone")) as repository:
        for name, size in sizes(store).items():
            with pytest.raises(UsageError):
                check_size(repository.object_store, name, size - 1, "x")


def test_no_way_leads_to_a_large_object(store: Any) -> None:
    limit_objects(store, 1_000)
    for name, size in sizes(store).items():
        if size > 1_000:
            with pytest.raises(UsageError, match=f"object {name.decode()} is too large"):
                store[name]
        else:
            assert len(store[name].as_raw_string()) == size


@pytest.mark.parametrize("name", [b"ab" * 20, b"\xab" * 20])
def test_an_object_that_does_not_exist_is_not_there(store: Any, name: bytes) -> None:
    limit_objects(store, 1_000)
    with pytest.raises(KeyError):
        store[name]
