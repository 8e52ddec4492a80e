"""`--fail-fast`: a session ends after so many failures, and can go on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve as command_line
from support.folders import write_test
from support.run_command import document

import lve
from lve.sessions.session_folder import SessionFolder

ONE = ["-m", "replay", "-j", "1", "--max-tests", "1", "--json"]
"""One instance at a time."""


def write(folder: Path, answers: Sequence[str | None], **document: Any) -> None:
    """Write a test whose recorded answers pass where they are "Hello"; None is a stale one."""
    stale = {"response": "Hello", "sent": "sha256:0"}
    rows = [
        {"args": {"n": str(n)}, **(stale if text is None else {"response": text})}
        for n, text in enumerate(answers)
    ]
    prompt = [{"content": "Say hello, {n}."}]
    write_test(folder, instances=rows, prompt=prompt, prompt_parameters=["n"], **document)


def done(*arguments: str) -> tuple[int, int, str]:
    """Return exit code, number of results, and how the session ended."""
    result = command_line("run", *ONE, *arguments, code=None)
    summary = document(result)["summary"]
    return result.exit_code, summary["instances"]["total"], summary["status"]


MIXED = ["Hello", "rude", "Hello", "rude", "rude", "Hello"]


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        (["--fail-fast"], (1, 2, "stopped")),
        (["--fail-fast", "1"], (1, 2, "stopped")),
        (["--fail-fast", "2"], (1, 4, "stopped")),
        (["--fail-fast=3"], (1, 5, "stopped")),
        (["--fail-fast", "4"], (1, 6, "complete")),
        (["--fail-fast", "."], (1, 2, "stopped")),
        (["--fail-fast", "--limit", "1"], (0, 1, "complete")),
        ([], (1, 6, "complete")),
    ],
)
def test_a_session_ends_after_so_many_failures(
    root: Path, words: list[str], ended: tuple[int, int, str]
) -> None:
    write(root / "t", MIXED)
    assert done(*words) == ended


def test_what_its_test_expects_is_no_failure(root: Path) -> None:
    write(root / "weak", ["rude", "rude", "Hello", "rude"], expect="fail")
    assert done("--fail-fast") == (1, 3, "stopped")


def test_an_error_counts(root: Path) -> None:
    write(root / "t", ["Hello", None, "Hello"])
    assert done("--fail-fast") == (3, 2, "stopped")


def test_repeats_of_an_instance_count_once(root: Path) -> None:
    write(root / "t", MIXED, default_model_args={"temperature": 1, "response": "rude"})
    words = ["run", "-m", "dummy/dummy", *ONE[2:], "--repeats", "3", "--fail-fast", "2"]
    assert document(command_line(*words, code=1))["summary"]["instances"]["total"] == 4


def test_where_a_rate_is_expected_the_test_counts(root: Path) -> None:
    write(root / "a", ["rude"] * 9 + ["Hello"], expect={"pass_rate": ">=0.9"})
    write(root / "b", ["Hello"] * 5)
    assert done("--fail-fast") == (1, 10, "stopped")


def test_the_report_says_why_and_how_to_go_on(root: Path) -> None:
    write(root / "t", MIXED)
    result = command_line("run", *ONE[:-1], "--fail-fast", code=1)
    assert "stopped early: --fail-fast: 1 failure\n" in result.stdout
    assert "not run: about 4 results\n" in result.stdout
    assert "go on with: lve run --resume " in result.stdout
    assert "stopped" in command_line("sessions").stdout


def test_a_resumed_session_goes_on_to_the_next_failure(root: Path) -> None:
    write(root / "t", MIXED)
    command_line("run", *ONE, "--fail-fast", code=1)
    folder = SessionFolder.find(root / ".lve")
    for lines in ([1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]):
        command_line("run", "--resume", "-j", "1", "--max-tests", "1", code=1)
        assert sorted(result.line for result in folder.results()) == lines
    assert folder.info()["status"] == "complete"


def test_python(root: Path) -> None:
    write(root / "t", MIXED)
    result = lve.run(".", model="replay", fail_fast=1, max_connections=1, max_tests=1)
    assert (result.status, len(result.results)) == ("stopped", 2)


@pytest.mark.parametrize("words", [["--fail-fast", "0"], ["--fail-fast=x"], ["--fail-fast="]])
def test_a_number_that_is_none_is_refused(root: Path, words: list[str]) -> None:
    write(root / "t", ["Hello"])
    result = command_line("run", *words, code=2)
    assert "Invalid value for '--fail-fast': must be a whole number from 1 on" in result.stderr


@pytest.mark.parametrize("kind", ["pass", "fail"])
def test_a_failure_in_the_last_row_stops_nothing(root: Path, kind: str) -> None:
    bad, good = ("Hello", "rude") if kind == "fail" else ("rude", "Hello")
    write(root / "a", [good] * 3, expect=kind)
    write(root / "b", [good, good, bad], expect=kind)
    result = command_line("run", *ONE[:-1], "--fail-fast", code=1)
    for words in ("stopped early", "--resume", "not run", "unfinished"):
        assert words not in result.output
    assert done("--fail-fast") == (1, 6, "complete")
    report = command_line("show", "last").output
    assert "stopped" not in report
    assert "unfinished" not in report
    write(root / "b", [good, bad, good], expect=kind)
    assert done("--fail-fast") == (1, 5, "stopped")


def test_a_replay_counts_each_recorded_answer_once(root: Path) -> None:
    write(root / "t", MIXED, repeats=3)
    result = command_line("run", *ONE[:-1], "--fail-fast", code=1)
    assert "not run: about 4 results\n" in result.stdout


def test_rows_without_an_answer_are_not_left(root: Path) -> None:
    write(root / "t", [None, "Hello", "rude", "Hello"])
    lines = (root / "t" / "instances").glob("*")
    for file in lines:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        rows[0].pop("response", None)
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    result = command_line("run", *ONE[:-1], "--fail-fast", code=1)
    assert "not run: about 1 result\n" in result.stdout


def test_a_session_is_complete_if_its_last_test_fails_with_all_its_results(root: Path) -> None:
    write(root / "t", MIXED, expect={"at_least": 0.9})
    result = command_line("run", *ONE[:-1], "--fail-fast", code=1)
    assert "stopped early" not in result.output
    assert "--resume" not in result.output
    assert done("--fail-fast") == (1, 6, "complete")
    write(root / "u", ["Hello"])
    assert done("--fail-fast") == (1, 6, "stopped")
