"""`lve session list`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_sums, write_test
from support.recorded import session_folder


def test_sessions_are_listed_the_latest_first(root: Path) -> None:
    write_test(root / "a")
    lve("run", "a", "--model", "dummy/dummy")
    write_sums(root / "b", 2)
    lve("run", "b", "--model", "replay")
    result = lve("session", "list")
    lines = result.stdout.splitlines()
    assert lines[0].endswith("complete")
    assert "· replay" in lines[1]
    assert "1 test: 1 passed · dummy/dummy" in lines[3]
    assert f"`lve show {lines[0].split()[0]}` reports a session again" in result.stderr
    assert f"`lve report {lines[0].split()[0]} -o report.html`" in result.stderr


def test_few_are_shown_unless_all_are_wanted(root: Path) -> None:
    write_test(root / "a")
    for _ in range(3):
        lve("run", "a", "--model", "dummy/dummy")
    few = lve("session", "list", "-n", "1")
    assert len(few.stdout.splitlines()) == 2
    assert "2 older sessions not shown" in few.stderr
    document = json.loads(lve("session", "list", "-n", "1", "--json").stdout)
    assert (len(document["sessions"]), document["more"]) == (1, 2)
    document = json.loads(lve("session", "list", "--all", "--json").stdout)
    assert (len(document["sessions"]), document["more"]) == (3, 0)
    assert document["sessions"][0]["verdicts"] == {"passed": 1}


def test_one_that_ended_early_says_how_to_go_on(root: Path) -> None:
    write_sums(root / "t", 4)
    lve("run", "t", "--model", "dummy/dummy", "--max-requests", "1", "-j", "1", code=6)
    result = lve("session", "list")
    name = result.stdout.split()[0]
    assert result.stdout.splitlines()[0].endswith("budget")
    assert f"`lve run --resume {name}` continues" in result.stderr


def test_without_sessions_it_says_what_makes_one(root: Path) -> None:
    result = lve("session", "list")
    assert result.stdout == ""
    assert "`lve run` makes one" in result.stderr


def test_a_damaged_session_is_listed_with_what_is_wrong(root: Path) -> None:
    write_test(root / "a")
    lve("run", "a", "--model", "dummy/dummy")
    (file,) = (root / ".lve" / "runs").glob("*/session.json")
    file.write_text('{"version": 1, "models": "\\u001b[31m"}')
    result = lve("session", "list")
    assert "unreadable" in result.stdout
    assert "lve show" not in result.stderr  # it could show nothing
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("status", "goes_on"),
    [
        ("complete", False),
        ("interrupted", True),
        ("budget", True),
        ("stopped", True),
        ("failed", True),
        ("running", True),
    ],
)
def test_a_session_that_ended_early_can_be_continued(
    root: Path, status: str, goes_on: bool
) -> None:
    session_folder(root / ".lve", [], status=status)
    assert ("`lve run --resume " in lve("session", "list").stderr) is goes_on
