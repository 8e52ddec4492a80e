"""Finds test documents and recorded instances in the tree of a git commit, within limits.

A commit of a few kilobytes can describe billions of files: a folder may be in a tree a thousand
times. So folders in which there was nothing are skipped when they come again, and what is read is
counted.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from typing import Any

from lve.errors import UsageError
from lve.extensions.revisions.object_sizes import check_size
from lve.file_names import DOCUMENT_NAMES, INSTANCE_FOLDER
from lve.files.git import MAX_PATH_BYTES
from lve.named_tuples import NamedTuple

MAX_ENTRIES = 500_000
"""The most files and folders of a revision that are looked at. A folder without tests counts
once."""
MAX_FILES = 20_000
"""The most test documents and files of instances."""
MAX_FILE_BYTES = 100_000_000
"""Of a file, and of whatever else is read from git. GitHub accepts no larger file."""
MAX_BYTES = 512_000_000
"""The most bytes of all files together."""
_INSTANCES = INSTANCE_FOLDER.encode()


class RevisionFile(NamedTuple):
    """A file at a revision."""

    test: str
    """The test folder, relative to the workspace."""
    name: str
    """Relative to the test folder."""
    content: bytes


class _Folder(NamedTuple):
    """A folder that is being looked through."""

    entries: Iterator[tuple[bytes, int, bytes]]
    """Path, mode and hash of what is in it."""
    key: tuple[bytes, bool]
    """Its hash, and whether it is called as folders of instances are."""
    files_before: int
    """How many files were read before."""


class RevisionFiles:
    """The test documents and the files of instances in a tree."""

    def __init__(self, objects: Any, prefix: str) -> None:
        """
        Args:
            objects: the object store of a repository, of dulwich.
            prefix: the workspace's folder in the repository, with `/` at its end; empty if it is
                the root.
        """
        self._objects = objects
        self._prefix = prefix.encode("utf-8", "surrogateescape")
        self._empty: set[tuple[bytes, bool]] = set()
        """Folders in which there was nothing, by `_Folder.key`."""
        self._entries = 0
        self._files = 0
        self._bytes = 0

    def read(self, tree: bytes) -> Iterator[RevisionFile]:
        """Yield the files.

        Args:
            tree: the hash of the commit's tree.

        Raises:
            UsageError: there are too many, or they are too large.
        """
        opened = [self._opened(b"", tree)]
        while opened:
            folder = opened[-1]
            entry = next(folder.entries, None)
            if entry is None:
                if folder.files_before == self._files:
                    self._empty.add(folder.key)
                opened.pop()
                continue
            path, mode, sha = entry
            if stat.S_ISDIR(mode):
                if self._may_hold(path) and _key(path, sha) not in self._empty:
                    opened.append(self._opened(path, sha))
            elif stat.S_ISREG(mode):  # a link or a submodule is no file of a test
                yield from self._file(path, sha)

    def _opened(self, path: bytes, sha: bytes) -> _Folder:
        return _Folder(self._listed(path, sha), _key(path, sha), self._files)

    def _listed(self, folder: bytes, sha: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        for name, mode, inner in self._objects[sha].iteritems(name_order=True):
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                raise _too_much(f"more than {MAX_ENTRIES:,} files and folders")
            path = b"/".join((folder, name)) if folder else name
            if len(path) <= MAX_PATH_BYTES:
                yield path, mode, inner

    def _may_hold(self, folder: bytes) -> bool:
        """Return whether a folder is in the workspace, or around it."""
        inside = folder + b"/"
        return inside.startswith(self._prefix) or self._prefix.startswith(inside)

    def _file(self, path: bytes, sha: bytes) -> Iterator[RevisionFile]:
        if not path.startswith(self._prefix):
            return
        place = _place(path.removeprefix(self._prefix).decode("utf-8", "surrogateescape"))
        if place is None:
            return
        check_size(self._objects, sha, MAX_FILE_BYTES, path.decode("utf-8", "surrogateescape"))
        content = self._objects[sha].as_raw_string()
        self._files += 1
        self._bytes += len(content)
        if self._files > MAX_FILES:
            raise _too_much(f"more than {MAX_FILES:,} files of tests")
        if self._bytes > MAX_BYTES:
            raise _too_much(f"more than {MAX_BYTES // 1_000_000} MB of recorded answers")
        yield RevisionFile(*place, content)


def _key(path: bytes, sha: bytes) -> tuple[bytes, bool]:
    return sha, path.rpartition(b"/")[2] == _INSTANCES


def _too_much(what: str) -> UsageError:
    return UsageError(f"the revision has {what}: too many to compare", code="over_limit")


def _place(path: str) -> tuple[str, str] | None:
    """Return test and name of a test document or an instances file; None for other files."""
    folder, _, name = path.rpartition("/")
    if name in DOCUMENT_NAMES:
        return folder or ".", name
    test, _, last = folder.rpartition("/")
    if last == INSTANCE_FOLDER and name.endswith((".jsonl", ".json")) and name[0] != ".":
        return test or ".", f"{last}/{name}"
    return None
