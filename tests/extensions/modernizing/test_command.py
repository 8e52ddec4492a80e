"""`lve check --modernize`: what it prints, writes and refuses."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace

from lve.extensions.modernizing import command

OLD = """\
description: d
prompt: [{content: Say hello.}]
checker_args: {checker_name: ExactMatchChecker, pattern: hello, match_safe: true}
"""
NEW = "description: d\nprompt: Say hello.\ncheck: {contains: hello}\n"


@pytest.fixture
def test_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = workspace(tmp_path) / "t"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    file = folder / "test.yaml"
    file.write_text(OLD, encoding="utf-8")
    return file


def test_it_rewrites_and_says_so(test_file: Path) -> None:
    code, out, _ = call("check", "t", "--modernize")
    assert code == 0
    assert out.splitlines() == [
        "rewritten  t/test.yaml",
        "1 document of 1 rewritten; comments and verdicts stay",
    ]
    assert test_file.read_text("utf-8") == NEW
    assert call("check", "t", "--modernize")[1].startswith("0 documents of 1 rewritten")


def test_json_names_each_document(test_file: Path) -> None:
    _, out, _ = call("check", "t", "--modernize", "--json")
    assert json.loads(out)["tests"] == [{"file": "t/test.yaml", "rewritten": True}]


def test_mode_byte_order_mark_and_line_ends_stay(test_file: Path) -> None:
    test_file.write_bytes(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
    test_file.chmod(0o640)
    assert call("check", "t", "--modernize")[0] == 0
    assert test_file.read_bytes() == b"\xef\xbb\xbf" + NEW.replace("\n", "\r\n").encode()
    assert test_file.stat().st_mode & 0o777 == 0o640


def test_an_invalid_test_stays_and_is_reported(test_file: Path) -> None:
    test_file.write_text(OLD + "nonsense: 1\n", encoding="utf-8")
    code, _, err = call("check", "t", "--modernize")
    assert code == 2
    assert "unknown key" in err
    assert test_file.read_text("utf-8") == OLD + "nonsense: 1\n"


def test_a_verdict_that_would_change_keeps_the_checker(test_file: Path) -> None:
    wrong = OLD.replace("hello, match", "'{word}', match") + "prompt_parameters: [word]\n"
    rows = test_file.parent / "instances"
    rows.mkdir()
    line = {"args": {"word": ""}, "response": "x", "passed": True}
    (rows / "a.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    test_file.write_text(wrong, encoding="utf-8")
    assert call("check", "t", "--modernize")[0] == 0
    assert "check: {ExactMatchChecker: {" in test_file.read_text("utf-8")


@pytest.mark.parametrize("option", ["--replay", "--trust", "--mutate", "--tag=x"])
def test_other_options_are_refused(test_file: Path, option: str) -> None:
    result = lve("check", "t", "--modernize", option, code=2)
    assert "goes together with --json alone" in result.output
    assert test_file.read_text("utf-8") == OLD


def test_a_file_that_cannot_be_written_stays(
    test_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes, *, mode: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(command, "replace_file", full)
    with pytest.raises(OSError, match="No space left"):
        call("check", "t", "--modernize")
    assert test_file.read_text("utf-8") == OLD
