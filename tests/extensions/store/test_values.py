"""Values of a hostile server: whatever type it names, only lve's own are built."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from threading import Event
from typing import Any

import pytest

pytest.importorskip("psycopg")
import psycopg
from extensions.store.postgres_wire import Value, hostile_store
from psycopg.pq import Format

from lve.extensions.store.server import connect
from lve.extensions.store.values import own_context, rows_of

ARRAY = Value(1016, struct.pack("!iiIii", 1, 0, 20, 2**31 - 1, 1), is_binary=True)
"""An array of 2 billion numbers, with none of them. psycopg's own loader reads beyond its end."""


def loaded(value: Value) -> Any:
    """Return what a statement gives if a server answers it so."""
    with hostile_store(lambda statement: [] if statement.startswith("SET") else [[value]]) as url:
        connection = connect(url, Event())
        try:
            return connection.execute("SELECT what", binary=value.is_binary).fetchone()[0]
        finally:
            connection.close()


@pytest.mark.parametrize(
    ("oid", "text", "binary", "expected"),
    [
        (16, b"t", b"\x01", True),
        (16, b"f", b"\x00", False),
        (17, b"\\x5d00", b"]\0", b"]\0"),
        (20, b"-9223372036854775808", struct.pack("!q", -(2**63)), -(2**63)),
        (23, b"7", struct.pack("!i", 7), 7),
        (25, "ñ".encode(), "ñ".encode(), "ñ"),
        (701, b"1.5", struct.pack("!d", 1.5), 1.5),
        (701, b"Infinity", struct.pack("!d", math.inf), math.inf),
    ],
)
def test_own_types(oid: int, text: bytes, binary: bytes, expected: Any) -> None:
    for value in (Value(oid, text), Value(oid, binary, is_binary=True)):
        found = loaded(value)
        assert (type(found), found) == (type(expected), expected)
    assert loaded(Value(oid, None)) is None


@pytest.mark.parametrize(
    "value",
    [
        Value(20, b"9" * 5000),
        Value(20, b"x"),
        Value(20, b"abc", is_binary=True),
        Value(23, b"", is_binary=True),
        Value(16, b"", is_binary=True),
        Value(17, b"5d"),
        Value(17, b"\\xzz"),
        Value(25, b"\xff"),
        Value(701, b"1" * 50),
        Value(701, b"\0" * 9, is_binary=True),
    ],
)
def test_what_isn_t_of_its_type_is_an_error_of_the_database(value: Value) -> None:
    with pytest.raises(psycopg.DataError):
        loaded(value)


@pytest.mark.parametrize(
    "value",
    [
        Value(114, b"[" * 100_000),  # JSON
        Value(3802, b"\x01" + b"[" * 100_000, is_binary=True),
        Value(1700, b"1e999999"),  # numeric
        Value(1184, b"infinity"),  # a time
        Value(1016, b"{" * 100_000),  # an array
        Value(2249, b"(" * 10_000),  # a record
        Value(2950, b"zz"),  # a UUID
        Value(3904, b"[1,"),  # a range
        Value(99_999, b"anything"),
    ],
)
def test_other_types_stay_bytes(value: Value) -> None:
    assert loaded(value) == value.content


def test_a_forged_array_does_not_end_the_process() -> None:
    code = f"import sys; sys.path[:] = {sys.path!r}; from extensions.store.test_values import *; "
    code += "print(loaded(ARRAY) == ARRAY.content)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_no_loader_of_psycopg_is_left() -> None:
    adapters = own_context().adapters
    oids = {oid for one in adapters.types for oid in (one.oid, one.array_oid)} | {0, 16, 25}
    for oid in oids:
        for form in Format:
            assert adapters.get_loader(oid, form).__module__ == "lve.extensions.store.values"


def test_rows_have_the_types_of_the_table() -> None:
    rows = [("a", 1, None), ("b", 2, 0.5)]
    assert list(rows_of(rows, str, int, float | None)) == rows
    for row in [
        ("a", 1),
        ("a", "1", None),
        (b"a", 1, None),
        ("a", 1, None, None),
        ("a", None, None),
    ]:
        with pytest.raises(psycopg.DataError, match="isn't of lve's table"):
            list(rows_of([row], str, int, float | None))
