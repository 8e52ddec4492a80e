"""Session files that are far larger than any that lve writes: zeros that take no place on the disk,
as they come out of an archive or of a broken file system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lve.errors import SessionError
from lve.sessions.journal import journal
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_file import read_session_file

TERABYTE = 1 << 40
pytestmark = pytest.mark.skipif(os.name == "nt", reason="files have no holes there by themselves")


def zeros(file: Path, first: bytes = b"") -> Path:
    """Make a file that seems to have a terabyte."""
    file.write_bytes(first)
    try:
        os.truncate(file, TERABYTE)
    except OSError:
        pytest.skip("this file system has no such large files")
    return file


def test_a_journal_of_zeros_is_refused_in_one_sentence(tmp_path: Path) -> None:
    _is_refused(zeros(tmp_path / "results.jsonl"), "512 MB")


def test_a_journal_that_ends_in_zeros_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a smaller limit, because it takes a second to read 512 MB."""
    monkeypatch.setattr(journal, "MAX_LINE_BYTES", 4_000_000)
    monkeypatch.setattr(journal, "MAX_DAMAGE_BYTES", 8_000_000)
    _is_refused(zeros(tmp_path / "results.jsonl", b"{}\n"), "8 MB")


def _is_refused(file: Path, limit: str) -> None:
    with pytest.raises(SessionError, match=rf"results\.jsonl can't be read: {limit} in it have no"):
        list(read_journal(file))
    with pytest.raises(
        SessionError, match=rf"results\.jsonl can't be written: {limit} in it have no"
    ):
        Journal(file)
    assert file.stat().st_size == TERABYTE


def test_a_session_file_of_zeros_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="can't be read"):
        read_session_file(zeros(tmp_path / "session.json"))
