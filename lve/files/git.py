"""Reads the `.git` folder of a checkout: its small files, its commit, and what its index tracks.

git itself is never started: it would run programs that the repository's configuration names, and a
contributed folder may pretend to be a repository.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lve.files.inside import WHOLE_BYTES, read_regular

MAX_ALTERNATES = 1
"""Maximum number of repositories that another one looks into: they may name each other."""
MAX_INDEX_BYTES = 1 << 29
MAX_CONFIG_BYTES = 1 << 20
MAX_PATH_BYTES = 4096
"""Maximum size of a path, and of a file with one line: HEAD, a reference, the path of a folder.
No checkout can contain longer paths."""
MAX_CANDIDATES = 10_000
"""Maximum number of occurrences of the folder's path in an index. Real indexes have one or two."""
MAX_HOPS = 5
"""Symbolic references that are followed, as in git."""
_COMMIT = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_REFERENCE = r"ref: *(refs/\S+)"
_EXTENDED = 0x4000
_NAME_LENGTH = 0xFFF
_HEADER_BYTES = 12
_STAT_BYTES = 40


def checkout_around(folder: Path) -> Path | None:
    """Return the nearest folder that has `.git`: `folder` or one around it; None if there is none.

    No commit can contain `.git`. (git itself would also take a folder with `HEAD`, `objects` and
    `refs` for a repository.)
    """
    start = folder.absolute()
    places = (start, *start.parents)
    return next((place for place in places if os.path.lexists(place / ".git")), None)


def git_folder(checkout: Path) -> Path | None:
    """Return the folder of a checkout's repository; None if it has none.

    It is `.git`, or, in work trees and submodules, the folder that the file `.git` names.

    Raises:
        OSError: the file `.git` can't be read.
    """
    dot_git = checkout / ".git"
    if dot_git.is_dir():
        return dot_git
    if not dot_git.is_file():
        return None
    line = git_line(dot_git)
    target = line.removeprefix("gitdir:").strip()
    return None if target == line or "\0" in target else checkout / target


def shared_folder(folder: Path) -> Path:
    """Return the folder that all work trees of a repository share, usually `folder` itself.

    Raises:
        OSError: the file `commondir` exists but can't be read.
    """
    try:
        return folder / git_line(folder / "commondir")
    except FileNotFoundError:
        return folder


def odd_file(git: Path) -> Path | None:
    """Return a file in a repository's folder that a library would wait for, or read for minutes: a
    pipe, a device, or a long list of other repositories. None if there is none, as in all that git
    has made."""
    refs = (Path(place) for place, _, _ in os.walk(git / "refs"))
    for folder in (git, git / "objects" / "info", git / "objects" / "pack", *refs):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if _is_odd(entry):
                    return Path(entry.path)
    return None


def _is_odd(entry: os.DirEntry[str]) -> bool:
    try:
        info = entry.stat()
    except OSError:  # a link to nothing
        return False
    if stat.S_ISFIFO(info.st_mode) or stat.S_ISCHR(info.st_mode):
        return True
    if entry.name != "alternates":
        return False
    try:  # each of them may name them all again
        return read_regular(entry.path, MAX_PATH_BYTES).count(b"\n") > MAX_ALTERNATES
    except OSError:
        return True


def git_line(file: Path) -> str:
    """Return the text of a file with a single line.

    Raises:
        OSError: the file can't be read, or is larger than `MAX_PATH_BYTES`.
    """
    return os.fsdecode(read_regular(file, MAX_PATH_BYTES)).strip()


def checkout_of(root: Path) -> dict[str, str] | None:
    """Return `{"commit": ...}` of the checkout that contains a folder; None outside of a checkout,
    before the first commit, or if its files can't be read.

    Changed files aren't known: only `git status` could tell. The sums of
    `lve.sessions.provenance.hashes_of` describe what ran more precisely anyway.
    """
    try:
        checkout = checkout_around(root)
        folder = None if checkout is None else git_folder(checkout)
        commit = None if folder is None else _commit_at_head(folder)
    except (OSError, ValueError):
        return None
    return None if commit is None else {"commit": commit}


def _commit_at_head(folder: Path) -> str | None:
    line = git_line(folder / "HEAD")
    for _ in range(MAX_HOPS):
        if re.fullmatch(_COMMIT, line):
            return line
        reference = re.fullmatch(_REFERENCE, line)
        if reference is None or ".." in reference[1]:
            return None
        line = _resolve(folder, reference[1])
    return None


def _resolve(folder: Path, reference: str) -> str:
    """Return the commit of a reference, or its target if it is symbolic; `""` without commits."""
    shared = shared_folder(folder)
    for place in (folder, shared):
        try:
            return git_line(place / reference)
        except OSError:
            continue
    try:
        packed = read_regular(shared / "packed-refs", WHOLE_BYTES)
    except FileNotFoundError:
        return ""
    end = packed.find(b" " + os.fsencode(reference) + b"\n")
    return packed[packed.rfind(b"\n", 0, end) + 1 : end].decode("ascii") if end > 0 else ""


def is_tracked(folder: Path) -> bool:
    """Return whether a git repository around a folder tracks files in it, or the folder itself as a
    link or a submodule. Then it came with the repository, and isn't the user's own. Unreadable
    repositories don't count."""
    place = Path(os.path.realpath(folder.parent)) / folder.name
    return any(
        _keeps(git, os.fsencode(place.relative_to(root).as_posix()))
        for root in place.parents
        if (git := _readable_folder(root)) is not None
    )


def _readable_folder(checkout: Path) -> Path | None:
    try:
        return git_folder(checkout)
    except OSError:
        return None


def _keeps(git: Path, path: bytes) -> bool:
    indexes = [git / "index"]
    with suppress(OSError):
        indexes += git.glob("sharedindex.*")
    return any(_has(_read(index, MAX_INDEX_BYTES), path, git) for index in indexes)


def _has(index: bytes, path: bytes, git: Path) -> bool:
    """Return whether an index has a path or files below it. Case doesn't matter."""
    if index[:4] != b"DIRC":
        return False
    if int.from_bytes(index[4:8], "big") >= 4:
        paths = _compressed_paths(index, _hash_bytes(git))
        return any(_is_at(entry.lower(), path.lower()) for entry in paths)
    return _has_whole(index, path.lower())


def _hash_bytes(git: Path) -> int:
    """Return the length of a repository's object hashes in bytes."""
    try:
        config = read_regular(shared_folder(git) / "config", MAX_CONFIG_BYTES)
    except OSError:
        return 20
    return 32 if re.search(rb"objectformat\s*=\s*sha256", config, re.I) else 20


def _is_at(entry: bytes, path: bytes) -> bool:
    return entry == path or entry.startswith(path + b"/")


def _has_whole(index: bytes, path: bytes) -> bool:
    """Search an index of version 2 or 3, which has uncompressed paths. The index is searched as one
    text, because parsing its entries is slow for a large repository."""
    lowered = index.lower()
    at = _HEADER_BYTES
    for _ in range(MAX_CANDIDATES):
        at = lowered.find(path, at + 1)
        if at < 0:
            return False
        end = index.find(b"\0", at, at + MAX_PATH_BYTES)
        if _is_at(lowered[at:end], path) and _begins_entry(index, at, end - at):
            return True
    return True  # no real repository has so many


def _begins_entry(index: bytes, at: int, length: int) -> bool:
    """Return whether the path of an entry begins at this offset: then the bytes before it have its
    length."""
    length = min(length, _NAME_LENGTH)
    flags, extended = (int.from_bytes(index[at - n : at - n + 2], "big") for n in (2, 4))
    if flags & _NAME_LENGTH == length:
        return True
    return bool(extended & _EXTENDED) and extended & _NAME_LENGTH == length


def _compressed_paths(index: bytes, hash_bytes: int) -> Iterator[bytes]:
    """Yield the paths of an index of version 4, where each is written as a change of the last."""
    at, path = _HEADER_BYTES, b""
    for _ in range(int.from_bytes(index[8:12], "big")):
        at += _STAT_BYTES + hash_bytes
        flags = int.from_bytes(index[at : at + 2], "big")
        at += 4 if flags & _EXTENDED else 2
        dropped, at = _variable_number(index, at)
        end = index.find(b"\0", at, at + MAX_PATH_BYTES)
        if end < 0 or dropped > len(path):
            return
        path = path[: len(path) - dropped] + index[at:end]
        if len(path) > MAX_PATH_BYTES:
            return
        yield path
        at = end + 1


def _variable_number(index: bytes, at: int) -> tuple[int, int]:
    """Decode a varint (7 bits per byte, highest first); return the number and the next offset."""
    number = 0
    for byte in index[at : at + 8]:
        at += 1
        number = (number << 7) | (byte & 0x7F)
        if not byte & 0x80:
            break
        number += 1
    return number, at


def _read(file: Path, max_bytes: int) -> bytes:
    """Return the content of a file; empty if it can't be read."""
    try:
        return read_regular(file, max_bytes)
    except OSError:
        return b""
