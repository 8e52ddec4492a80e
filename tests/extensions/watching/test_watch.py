"""`lve run --watch`: what changes runs again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from shutil import rmtree
from threading import Thread

import click
import pytest
from support.command_line import lve
from support.folders import write_sums, write_test
from support.forked import python

from lve.extensions.watching.watch import Snapshot, settings_for_next_run
from lve.pipeline.choosing.loading import choose_workspace

CHECKER = "class C:\n    pass\n"


@pytest.fixture
def two_tests(root: Path) -> Path:
    write_sums(root / "sums", 2)
    write_test(root / "plain")
    return root


def changed(before: Snapshot) -> list[str]:
    """Return the tests that changed since."""
    now = Snapshot.take((".",))
    return [file.parent.name for file in now.changed_since(before)]


def append(file: Path, text: str = "\n") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(text)


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("sums/test.json", ["sums"]),
        ("sums/instances/main.jsonl", ["sums"]),
        ("sums/prompts/new.prompt", ["sums"]),
        ("plain/checker/checker.py", ["plain"]),
        ("plain/data/rows.csv", ["plain"]),
        ("lve.yaml", ["plain", "sums"]),
        ("pyproject.toml", ["plain", "sums"]),
        ("checkers/shared/checker.py", ["plain", "sums"]),
        ("plain/.hidden", []),
        ("plain/__pycache__/checker.pyc", []),
        (".lve/runs/x/results.jsonl", []),
        ("README.md", []),
    ],
)
def test_which_tests_a_file_changes(two_tests: Path, file: str, tests: list[str]) -> None:
    before = Snapshot.take((".",))
    assert changed(before) == []
    append(two_tests / file)
    assert changed(before) == tests


def test_new_tests_have_changed_and_gone_ones_have_not(two_tests: Path) -> None:
    before = Snapshot.take((".",))
    write_test(two_tests / "new")
    rmtree(two_tests / "sums")
    assert changed(before) == ["new"]


def test_a_change_that_keeps_time_or_size_is_seen(two_tests: Path) -> None:
    file = two_tests / "plain" / "test.json"
    before = Snapshot.take((".",))
    stat = file.stat()
    file.write_text(file.read_text() + " ")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert changed(before) == ["plain"]
    before = Snapshot.take((".",))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert changed(before) == ["plain"]


@pytest.mark.parametrize(
    "other",
    [["--resume"], ["--last-failed"], ["--failed-in", "x"], ["--dry-run"], ["--json"]],
)
@pytest.mark.usefixtures("two_tests")
def test_what_makes_no_sense_again_is_refused(other: list[str]) -> None:
    result = lve("run", "--watch", *other, code=2)
    assert f"--watch and {other[0]} don't go together" in result.stderr


@pytest.mark.usefixtures("root")
def test_a_mistake_at_the_beginning_ends_it() -> None:
    result = lve("run", "--watch", code=5)
    assert "no tests in this folder" in result.stderr


class Watching:
    """A running `lve run --watch`, whose lines are read until a text comes."""

    def __init__(self, root: Path, *arguments: str) -> None:
        command = [*python(), "-m", "lve", "run", "--watch", "-m", "replay", *arguments]
        self.process = subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def until(self, text: str) -> str:
        """Return all lines up to the one with a text."""
        assert self.process.stdout is not None
        seen = ""
        for line in self.process.stdout:
            seen += line
            if text in line:
                return seen
        raise AssertionError(f"{text!r} never came: {seen}")

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@pytest.fixture
def watching(two_tests: Path) -> Iterator[Watching]:
    running = Watching(two_tests)
    guard = Thread(target=lambda: _kill_late(running.process), daemon=True)
    guard.start()
    yield running
    running.process.kill()
    running.process.communicate()


def _kill_late(process: subprocess.Popen[str]) -> None:
    """End a process that hangs, so that reading its lines ends."""
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_edit_runs_its_test_again_until_ctrl_c(two_tests: Path, watching: Watching) -> None:
    first = watching.until("watching 2 tests; press Ctrl-C to stop")
    assert "sums" in first
    file = two_tests / "sums" / "instances" / "main.jsonl"
    file.write_text(file.read_text().replace('"response": "0"', '"response": "5"'))
    again = watching.until("watching 2 tests")
    assert "changed: sums" in again
    assert "1/2 passed" in again
    assert "plain" not in again
    (two_tests / "sums" / "test.json").write_text("{")
    broken = watching.until("watching 2 tests")
    assert "invalid: sums" in broken
    assert watching.interrupt() == 2, "as the last run"


STRANGER = "models: {m: {base_url: 'http://127.0.0.1:9/v1', api_key_env: AWS_SECRET}}"
SETTINGS = [
    "trust: [{path: plain/checker/checker.py, sha256: " + "a" * 64 + "}]",
    "allow_downloads: true",
    "caps: {repeats: 9999}",
    "plugins: [evil]",
    "sandbox: required",
    STRANGER,
]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("text", SETTINGS)
def test_changed_settings_are_not_used_unasked(
    text: str, two_tests: Path, watching: Watching
) -> None:
    """A branch that is checked out meanwhile brings its own, and tests that they trust."""
    watching.until("press Ctrl-C to stop")
    (two_tests / "lve.yaml").write_text(f"{text}\n")
    (two_tests / "plain" / "README.md").write_text("changed")
    said = watching.until("[changed_settings]")
    assert "lve.yaml has changed. Settings decide which code runs" in said
    assert "passed" not in said
    assert watching.process.wait(20) == 2


@pytest.mark.parametrize("answer", ["y", "n"])
def test_on_a_terminal_it_asks(
    answer: str, two_tests: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed = choose_workspace(["."]).settings
    (two_tests / "lve.yaml").write_text(f"{STRANGER}\n")
    monkeypatch.setattr("sys.stdin", _Typed(f"{answer}\n"))
    if answer == "n":
        with pytest.raises(click.Abort):
            settings_for_next_run(["."], agreed)
    else:
        assert settings_for_next_run(["."], agreed).models


class _Typed(StringIO):
    """What somebody types on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_settings_that_grant_nothing_change_without_asking(
    two_tests: Path, watching: Watching
) -> None:
    watching.until("press Ctrl-C to stop")
    (two_tests / "lve.yaml").write_text("# a comment\ncomparison: {alpha: 0.01}\n")
    assert "passed" in watching.until("watching 2 tests")


@pytest.mark.skipif(os.name == "nt", reason="a folder in use can't be removed")
def test_it_ends_when_its_folder_is_removed(two_tests: Path, watching: Watching) -> None:
    watching.until("press Ctrl-C to stop")
    shutil.rmtree(two_tests)
    said = watching.until("the current folder has been removed")
    assert "Traceback" not in said
    assert watching.process.wait(20) == 2
