"""Labels written beside a session."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SessionError, UsageError
from lve.extensions.calibration import labels
from lve.extensions.calibration.labels import read_labels
from lve.extensions.view import label_file
from lve.extensions.view.label_file import read_session_labels, write_label
from lve.secrets.redaction import Redactor

PLACE = {"test": "t", "model": "m", "source": "instances/x.jsonl", "line": 1}
PLAIN = Redactor()


def write(folder: Path, **changes: Any) -> None:
    write_label(folder, {**PLACE, "label": "right", **changes})


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]


def test_labels_are_appended(tmp_path: Path) -> None:
    write(tmp_path, comment="é\n\u202e")
    write(tmp_path, line=2, label="wrong", author="ana")
    assert (tmp_path / "labels.jsonl").read_text().count("\n") == 2  # no blank line between
    assert lines(tmp_path) == read_session_labels(tmp_path)
    assert [one["line"] for one in lines(tmp_path)] == [1, 2]
    assert len(read_labels(tmp_path / "labels.jsonl")) == 2


def test_a_person_has_one_label_of_an_answer(tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, author="ana")
    write(tmp_path, repeat=1)
    write(tmp_path, check="judge")
    write(tmp_path, label="wrong", repeat=0)
    found = lines(tmp_path)
    assert [one["label"] for one in found] == ["right", "right", "right", "wrong"]
    assert [one.get("author") for one in found] == ["ana", None, None, None]


def test_a_label_is_taken_back(tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, line=2)
    write(tmp_path, label=None)
    write(tmp_path, label=None, line=9)
    assert [one["line"] for one in lines(tmp_path)] == [2]


def test_no_label_is_written_or_read_behind_a_link(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "session"
    elsewhere.mkdir()
    write(elsewhere)
    before = sorted(elsewhere.iterdir())
    folder.symlink_to(elsewhere)
    for use in (lambda: write(folder, line=2), lambda: read_session_labels(folder)):
        with pytest.raises(SessionError, match="a link"):
            use()
    assert sorted(elsewhere.iterdir()) == before
    assert [one["line"] for one in lines(elsewhere)] == [1]


def test_lines_that_people_wrote_stay_byte_for_byte(tmp_path: Path) -> None:
    own = '{"label":  "passed", "response": "x"}\nnot JSON\n\n{"label": "right"}'
    (tmp_path / "labels.jsonl").write_text(own)
    write(tmp_path)
    write(tmp_path, label="wrong")
    text = (tmp_path / "labels.jsonl").read_text()
    assert text.startswith(own + "\n")
    assert len(read_session_labels(tmp_path)) == 1


def test_what_could_not_be_read_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="this is no label"):
        write(tmp_path, comment="\ud800")
    assert not (tmp_path / "labels.jsonl").exists()


def test_writers_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_file, "WAIT_S", 120.0)  # a busy machine may starve a writer

    def work(author: str) -> None:
        for line in range(1, 11):
            write(tmp_path, line=line, author=author)
            write(tmp_path, line=line, author=author, label="wrong")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = lines(tmp_path)
    assert len(found) == 40
    assert {one["label"] for one in found} == {"wrong"}


def test_a_writer_that_never_ends_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(label_file, "WAIT_S", 0.05)
    with (tmp_path / "labels.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SessionError, match="is being written: try again"):
            write(tmp_path)
    write(tmp_path)
    assert len(lines(tmp_path)) == 1


def test_the_file_is_the_users_own(tmp_path: Path) -> None:
    write(tmp_path)
    assert stat.S_IMODE((tmp_path / "labels.jsonl").stat().st_mode) == 0o600
    (tmp_path / "labels.jsonl").unlink()
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "labels.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError, match="can't be used"):
        write(tmp_path)
    assert (tmp_path / "elsewhere").read_text() == ""


def test_there_are_no_more_labels_than_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_file, "MAX_LABELS", 2)
    write(tmp_path)
    write(tmp_path, line=2)
    with pytest.raises(UsageError, match="more than 2 labels"):
        write(tmp_path, line=3)
    write(tmp_path, line=2, label="wrong")
    assert len(lines(tmp_path)) == 2


def test_what_is_written_is_not_too_much_for_who_reads_it() -> None:
    assert label_file.MAX_LABELS <= labels.MAX_LABELS
    assert label_file.WHOLE_BYTES <= labels.MAX_BYTES
