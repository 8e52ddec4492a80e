"""How large an object of a git repository is, read from its first bytes.

dulwich reads objects whole, and a few kilobytes of a clone can stand for gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from lve.errors import UsageError

_OFFSET_DELTA, _NAMED_DELTA = 6, 7
"""Types of objects in packs that are differences to another object."""
_HEAD = 64
"""The header of a loose object has at most 7 + 20 + 1 bytes, the sizes in a delta 2 x 10."""
_MAX_ALTERNATES = 5
"""So many repositories deep git looks for objects, too."""
_MAX_CHAIN = 5_000
"""git makes chains of at most 4,095 deltas."""
_MAX_DIGITS = 10
"""A number of 64 bits has so many bytes."""


def limit_objects(store: Any, limit: int) -> None:
    """Make a repository refuse to read large objects, of whatever type.

    Sizes are as git has written them: they are not true in a repository that somebody has forged.

    Args:
        store: the repository's objects (`dulwich.object_store.DiskObjectStore`).
        limit: in bytes. Reading a larger object raises a UsageError.
    """
    read: Callable[[bytes], tuple[int, bytes]] = store.get_raw

    @lru_cache(maxsize=10_000)
    def check(name: bytes) -> None:
        check_size(store, name, limit, f"object {_hex(name)}")

    def get_raw(name: bytes) -> tuple[int, bytes]:
        check(name)
        return read(name)

    store.get_raw = get_raw


def check_size(store: Any, name: bytes, limit: int, what: str) -> None:
    """Refuse an object that is too large, or needs something too large to be read.

    Args:
        store: the repository's objects.
        name: of the object, hexadecimal or not.
        limit: in bytes.
        what: is too large, for the message.

    Raises:
        UsageError: the object is larger.
    """
    size = max(_sizes(store, _hex(name)), default=0)
    if size > limit:
        raise UsageError(
            f"{what} is too large: {size:,} bytes (at most {limit:,})", code="over_limit"
        )


def _hex(name: bytes) -> str:
    return (name if len(name) >= 40 else name.hex().encode()).decode("ascii")


def _sizes(store: Any, name: str) -> Iterator[int]:
    """Yield the size of each copy of an object; nothing if there is none."""
    for object_store in _stores(store):
        loose = Path(object_store.path, name[:2], name[2:])
        if loose.is_file():
            with loose.open("rb") as file:
                yield _loose_size(file)
        for pack in object_store.packs:
            try:
                offset = pack.index.object_offset(bytes.fromhex(name))
            except KeyError:
                continue
            with Path(object_store.pack_dir, pack.data.filename).open("rb") as file:
                yield _packed_size(file, offset, pack.index, len(name) // 2)


def _stores(store: Any, depth: int = 0) -> Iterator[Any]:
    yield store
    if depth < _MAX_ALTERNATES:
        for alternate in store.alternates:
            yield from _stores(alternate, depth + 1)


def _loose_size(file: BinaryIO) -> int:
    """Return the size in `blob 12\\0`, with which a loose object begins."""
    head = zlib.decompressobj().decompress(file.read(4 * _HEAD), _HEAD)
    return int(head.partition(b"\0")[0].split(b" ")[1])


def _packed_size(file: BinaryIO, offset: int, index: Any, name_length: int) -> int:
    """Return the size of the largest object in a chain of deltas, or of all its deltas together.

    Args:
        file: the pack.
        offset: where the chain's last object begins.
        index: the pack's index.
        name_length: of the name of an object, in bytes.
    """
    largest = deltas = 0
    for _ in range(_MAX_CHAIN):
        file.seek(offset)
        kind, size = _entry_header(file)
        if kind == _OFFSET_DELTA:
            offset -= _base_distance(file)
        elif kind == _NAMED_DELTA:
            offset = index.object_offset(file.read(name_length))
        else:
            return max(largest, deltas, size)
        deltas += size
        largest = max(largest, *_sizes_in_delta(file))
    raise ValueError("an endless chain of deltas")


def _entry_header(file: BinaryIO) -> tuple[int, int]:
    """Return type and size of an entry. The first byte has 3 bits of type and 4 of the size."""
    first = _byte(file)
    size, shift = first & 15, 4
    if first & 128:
        size |= _number(file) << shift
    return first >> 4 & 7, size


def _number(file: BinaryIO) -> int:
    """Return a number of 7 bits in each byte, the last ones first."""
    number = 0
    for place in range(_MAX_DIGITS):
        byte = _byte(file)
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number
    raise ValueError("an endless number")


def _base_distance(file: BinaryIO) -> int:
    """Return how far in front of an entry its base begins (git's "offset encoding")."""
    distance = -1
    for _ in range(_MAX_DIGITS):
        byte = _byte(file)
        distance = (distance + 1) << 7 | byte & 127
        if byte < 128:
            return distance
    raise ValueError("an endless number")


def _sizes_in_delta(file: BinaryIO) -> tuple[int, int]:
    """Return the sizes of base and result, with which a delta begins."""
    head = BytesIO(zlib.decompressobj().decompress(file.read(4 * _HEAD), _HEAD))
    return _number(head), _number(head)


def _byte(file: BinaryIO) -> int:
    byte = file.read(1)
    if not byte:
        raise ValueError("the pack ends early")
    return byte[0]
