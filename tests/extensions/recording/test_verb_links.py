"""`lve record` writes into the test folder and nowhere else, and copies nothing into it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test

PRIVATE = '{"args": {}, "response": "attack at dawn"}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test folder in a workspace that one stands in, and something private beside it."""
    root = workspace(tmp_path / "root")
    monkeypatch.chdir(root)
    (tmp_path / "private").mkdir()
    (tmp_path / "private/x.jsonl").write_text(PRIVATE)
    prompt = [{"content": "Say hello, {name}."}]
    return write_test(root / "test", prompt=prompt, prompt_parameters=["name"])


def record() -> str:
    result = lve("record", "--to", "x", "-p", "name=Ann", "test", code=3)
    assert result.exit_code != 0
    return f"{result.output}{result.exception}"


def test_a_linked_instance_folder_is_not_written_through(folder: Path, tmp_path: Path) -> None:
    (folder / "instances").symlink_to(tmp_path / "private")
    (tmp_path / "private/x.jsonl").unlink()
    assert "outside its folder" in record()
    assert list((tmp_path / "private").iterdir()) == []


def test_a_linked_file_is_neither_copied_nor_replaced(folder: Path, tmp_path: Path) -> None:
    (folder / "instances").mkdir()
    (folder / "instances/x.jsonl").symlink_to(tmp_path / "private/x.jsonl")
    assert "instances/x.jsonl" in record()
    assert (folder / "instances/x.jsonl").is_symlink()
    assert (tmp_path / "private/x.jsonl").read_text() == PRIVATE
    assert sorted(path.name for path in (folder / "instances").iterdir()) == ["x.jsonl"]


def test_a_dangling_link_is_not_written_through(folder: Path, tmp_path: Path) -> None:
    (folder / "instances").mkdir()
    (folder / "instances/x.jsonl").symlink_to(tmp_path / "private/new.jsonl")
    record()
    assert not (tmp_path / "private/new.jsonl").exists()


def test_a_pipe_is_not_written_to(folder: Path) -> None:
    (folder / "instances").mkdir()
    os.mkfifo(folder / "instances/x.jsonl")
    assert "not a regular file" in record()


def test_what_an_honest_test_records_may_be_read_by_others(folder: Path) -> None:
    old = os.umask(0o022)
    try:
        lve("record", "--to", "x", "-p", "name=Ann", "test")
    finally:
        os.umask(old)
    file = folder / "instances/x.jsonl"
    assert file.stat().st_mode & 0o777 == 0o644
    assert file.parent.stat().st_mode & 0o777 == 0o755
    assert len(file.read_text().splitlines()) == 1
