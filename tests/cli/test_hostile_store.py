"""Every command that reads a team's store, with a server that answers what it likes: an error or a
result in words, soon, without a crash and without terminal codes."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
from extensions.store.postgres_wire import Answer, Value, hostile_store, message
from support.command_line import lve
from support.folders import workspace, write_sums

from lve.sessions.storage import STORE_VARIABLE

ID = Value(25, b"20260101-000000-000-abcd")
DOORS = (
    ("run", "."),
    ("run", "--resume", "20260101"),
    ("sessions",),
    ("sessions", "--json"),
    ("sessions", "--push"),
    ("show", "20260101"),
    ("compare", "20260101", "last"),
    ("cache", "stats"),
    ("cache", "stats", "--json"),
    ("doctor",),
)
VALUES = {
    "null": Value(25, None),
    "codes": Value(25, b"\x1b]0;title\x07\nsecond \xe2\x80\xae"),
    "long": Value(25, b"x" * 3_000_000),
    "no text": Value(25, b"\xff"),
    "number": Value(20, b"-5"),
    "large number": Value(20, b"9" * 5000),
    "nan": Value(701, b"NaN"),
    "infinity": Value(701, b"Infinity"),
    "numeric": Value(1700, b"1e999999"),
    "time": Value(1184, b"infinity"),
    "json": Value(114, b"[" * 200_000),
    "array": Value(1016, struct.pack("!iiIii", 1, 0, 20, 2**31 - 1, 1), is_binary=True),
    "bytes": Value(17, b"\\x5b5d"),
    "bool": Value(16, b"t"),
    "short": Value(20, b"abc", is_binary=True),
}
ERROR = b"SERROR\0C%s\0M\x1b]0;title\x07 password=word\0\0"
MESSAGES = {
    "notices": message(b"N", ERROR % b"00000") * 10_000 + message(b"C", b"SELECT 0\0"),
    "notifications": message(b"A", bytes(4) + b"\x1b\0\x1b\0") * 1000 + message(b"I"),
    "copy out": message(b"H", struct.pack("!bh", 0, 0)) + message(b"d", b"x\n") + message(b"c"),
    "copy in": message(b"G", struct.pack("!bh", 0, 0)),
    "copy both": message(b"W", struct.pack("!bh", 0, 0)),
    "garbage": b"\xff" * 100,
    "a message of 2 GB": b"D" + struct.pack("!I", 2**31 - 1),
    "a negative length": b"D" + struct.pack("!i", -1) + b"x" * 100,
    "another state": message(b"E", ERROR % b"\x1b[31m"),
    "changed tables": message(b"E", ERROR % b"42P01"),
    "the question for a password": message(b"R", struct.pack("!I", 3)),
}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = workspace(tmp_path / "w")
    write_sums(root / "sums", 3, model="replay")
    monkeypatch.chdir(root)
    monkeypatch.setattr("lve.extensions.store.publishing.CLOSE_TIMEOUT_S", 1.0)


def forged(value: Value, where: str) -> Answer:
    """Return the answers of a server with this value in all columns of a table, or of another."""

    def answer(statement: str) -> list[list[Value]]:
        text = statement.strip().lower()
        if "to_regclass" in text and where != "tables":
            return [[Value(16, b"t")]]
        if "max(version)" in text and where != "version":
            return [[Value(23, b"2")]]
        if "from lve_session_files" in text:
            return [[Value(25, b"session.json"), value, value]]
        if "starts_with" in text:
            return [[ID if where == "rows" else value]]
        if "extract(epoch" in text:
            return [[ID, value, value, value]]
        if text.startswith(("set", "begin", "commit", "rollback", "delete", "update")):
            return []
        columns = 4 if "group by model" in text else 3 if text.startswith("select key") else 1
        return [[value] * columns]

    return answer


def try_all(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile_store(answer) as url:
        monkeypatch.setenv(STORE_VARIABLE, url)
        for door in DOORS:
            began = time.monotonic()
            result = lve(*door, code=None)
            said = f"{result.output}{result.exception}"
            assert result.exit_code in (0, 2, 3), (door, said)
            assert "unexpected" not in said, door
            assert "\x1b" not in said
            assert "password=word" not in said
            assert len(said) < 100_000
            assert time.monotonic() - began < 60, door


@pytest.mark.parametrize("where", ["rows", "ids", "tables", "version"])
@pytest.mark.parametrize("name", VALUES)
def test_forged_values(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try_all(forged(VALUES[name], where), monkeypatch)


@pytest.mark.parametrize("name", MESSAGES)
def test_forged_messages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(statement: str) -> bytes | list[list[Value]]:
        return [] if statement.lower().startswith("set") else MESSAGES[name]

    try_all(answer, monkeypatch)
