"""Loads the values that a server sends, without trusting it.

The server names the type of each value, and psycopg would build arrays, records or JSON from what
it names: a forged array ended the process by a segmentation fault in psycopg's C code. So only the
types of lve's own columns are loaded, in Python; all others stay bytes. psycopg is an extra, so
nothing here imports it before.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, TypeAlias

from lve.extensions.store.driver import Row
from lve.named_tuples import NamedTuple

if TYPE_CHECKING:
    from psycopg.abc import Buffer
    from psycopg.adapt import AdaptersMap, Loader
    from psycopg.pq import Format

Load: TypeAlias = "Callable[[Buffer], object]"
_MAX_NUMBER = 40
"""Maximum number of characters of a number."""


def _number(data: Buffer) -> str:
    text = bytes(data)
    if len(text) > _MAX_NUMBER:
        raise ValueError("too long a number")
    return text.decode("ascii")


def _unpacked(form: str) -> Load:
    return lambda data: struct.unpack(form, data)[0]


def _text(data: Buffer) -> str:
    return bytes(data).decode("utf-8")


def _bytes(data: Buffer) -> bytes:
    return bytes(data)


def _from_hex(data: Buffer) -> bytes:
    text = bytes(data)
    if not text.startswith(b"\\x"):
        raise ValueError("no bytes")
    return bytes.fromhex(text[2:].decode("ascii"))


_LOADS: dict[int, tuple[Load, Load]] = {
    16: (lambda data: bytes(data) == b"t", _unpacked("?")),
    17: (_from_hex, _bytes),
    20: (lambda data: int(_number(data)), _unpacked("!q")),
    23: (lambda data: int(_number(data)), _unpacked("!i")),
    25: (_text, _text),
    701: (lambda data: float(_number(data)), _unpacked("!d")),
}
"""OIDs of bool, bytea, bigint, integer, text and double precision -> what loads their text format,
and what loads their binary format."""


def _loader(load: Load, of_format: Format) -> type[Loader]:
    """Return psycopg's loader for a function. Errors of any kind become psycopg's."""
    from psycopg import DataError
    from psycopg.adapt import Loader

    class OwnLoader(Loader):  # type: ignore[misc]  # an extra
        format = of_format

        def load(self, data: Buffer) -> object:
            try:
                return load(data)
            except (ValueError, struct.error) as error:
                raise DataError("a value isn't of its type") from error

    return OwnLoader


class OwnContext(NamedTuple):
    """An adaptation context of psycopg."""

    adapters: AdaptersMap
    connection: None = None


@cache
def own_context() -> OwnContext:
    """Return the context of connections that only load the types of lve's columns."""
    import psycopg
    from psycopg.adapt import AdaptersMap
    from psycopg.pq import Format

    adapters = AdaptersMap(psycopg.adapters)
    others = {oid for info in psycopg.adapters.types for oid in (info.oid, info.array_oid)}
    # Types that psycopg doesn't know are loaded as the type 0.
    for oid in {0} | others | _LOADS.keys():
        for of_format, load in zip(Format, _LOADS.get(oid, (_bytes, _bytes)), strict=True):
            adapters.register_loader(oid, _loader(load, of_format))
    return OwnContext(adapters)


def rows_of(rows: Iterable[Row], *kinds: type | UnionType) -> Iterator[Row]:
    """Yield rows whose values have these types.

    Raises:
        psycopg.DataError: a row has others. Its table isn't lve's.
    """
    from psycopg import DataError

    for row in rows:
        if len(row) != len(kinds) or not all(map(isinstance, row, kinds)):
            raise DataError("a row isn't of lve's table")
        yield row
