"""Forged sessions and journals are read within limits and never give a traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lve.errors import SessionError
from lve.sessions.journal import journal
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_file import read_session_file

HOSTILE = {
    "nested": '{"version": 1, "tests": ' + "[" * 100_000,
    "deep": '{"version": 1, "tests": ' + "[" * 400 + "]" * 400 + "}",
    "digits": '{"version": 1, "tests": ' + "9" * 100_000 + "}",
    "nan": '{"version": 1, "tests": NaN}',
    "infinite": '{"version": 1, "tests": 1e999}',
    "twice": '{"version": 1, "version": 1}',
    "values": '{"version": 1, "tests": [' + "[]," * 6_000_000 + "[]]}",
    "list": "[1]",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_session_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SessionError) as caught:
        read_session_file(file)
    assert len(str(caught.value)) < 1000


def test_a_session_file_may_name_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text('{"version": 2, "paths": ["\\udcff"]}', encoding="utf-8")
    with pytest.raises(SessionError, match="format 2"):  # it was read
        read_session_file(file)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_line_of_a_journal_is_left_out(text: str, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(f"{text}\n" * 2, encoding="utf-8")
    said: list[str] = []
    assert list(read_journal(file, warn=said.append)) == []
    assert "2 damaged lines" in said[0]


def test_a_line_longer_than_any_result_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MAX_LINE_BYTES", 1000)
    file = tmp_path / "results.jsonl"
    file.write_text("x" * 10_500 + "\n" + "y" * 999 + "\n{}\n", encoding="utf-8")
    with file.open("rb") as stream:
        assert list(journal.bounded_lines(stream)) == [b"\n", b"\n", b"{}\n"]


def test_a_journal_of_nothing_takes_no_memory_and_little_time(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text("".join(f"{n}\n" for n in range(300_000)), encoding="utf-8")
    started = time.process_time()
    assert list(read_journal(file)) == []
    assert time.process_time() - started < 60
