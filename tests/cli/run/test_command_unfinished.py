"""A session that was stopped early: what its report says of the tests that aren't through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.folders import write_sums
from support.run_command import Run, at
from support.server import ModelServer, model_server

from lve.sessions.session_folder import SessionFolder

WRONG = {"checker_name": "LambdaChecker", "func": "lambda r, a, b: int(a) != 1"}


def test_tests_that_have_begun_are_told(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "good", 20)
    result = run("good", *at(server), "--max-requests", "5", code=6)
    assert (
        "? good · openai/test · 5/5 passed (pass rate 1, 95 % interval 0.478 to 1.000)\n"
        "    unfinished: 5 done\n" in result.stdout
    )


def test_failures_so_far_are_told(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "bad", 20, checker_args=WRONG)
    result = run("bad", *at(server), "--max-requests", "5", code=6)
    assert (
        "✗ bad · openai/test · 4/5 passed (pass rate 0.8, 95 % interval 0.284 to 0.995)\n"
        "    1 of 5 failed; unfinished: 5 done\n"
        "    instances/main.jsonl:2 ("
    ) in result.stdout


def test_tests_that_have_not_begun_are_counted_only(
    root: Path, run: Run, server: ModelServer
) -> None:
    for name in ("a", "b"):
        write_sums(root / name, 10)
    result = run(".", *at(server), "--max-requests", "5", "-j", "1", "--max-tests", "1", code=6)
    assert "? a ·" in result.stdout
    assert "b ·" not in result.stdout
    assert "not run: about 15 results\n" in result.stdout


def test_a_stream_has_every_test_once(root: Path, run: Run, server: ModelServer) -> None:
    for name in ("a", "b", "c"):
        write_sums(root / name, 4)
    result = run(
        ".",
        *at(server),
        "--max-requests",
        "6",
        "-j",
        "1",
        "--max-tests",
        "1",
        "--no-cache",
        "--jsonl",
        code=6,
    )
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    tests = {one["path"]: one["reason"] for one in lines if one["type"] == "test"}
    assert tests == {"a": "", "b": "unfinished: 2 done", "c": "unfinished: 0 done"}
    assert sum(one["type"] == "test" for one in lines) == 3


def test_errors_that_run_again_do_not_complete_the_session(root: Path, run: Run) -> None:
    write_sums(root / "t", 20)
    with model_server(faults=["400"]) as server:
        run("t", *at(server), "--max-requests", "5", "-j", "1", code=6)
        result = run("--retry-errors", *at(server), "--max-requests", "50", code=6)
        assert len(server.requests) == 6
        assert "unfinished: 5 done\n" in result.stdout
        assert "stopped early: only what ended in an error ran again\n" in result.stdout
        assert "not run: about 15 results\n" in result.stdout
        assert "lve run --resume" in result.stdout
        assert SessionFolder.find(root / ".lve").info()["status"] == "budget"
        run("--resume", *at(server), "--max-requests", "50")
    assert SessionFolder.find(root / ".lve").info()["status"] == "complete"


@pytest.mark.parametrize(
    ("status", "after", "code"),
    [("running", "interrupted", 130), ("interrupted", "interrupted", 130), ("failed", "failed", 4)],
)
def test_the_session_stays_as_it_was_stopped(
    root: Path, run: Run, server: ModelServer, status: str, after: str, code: int
) -> None:
    write_sums(root / "t", 20)
    run("t", *at(server), "--max-requests", "5", code=6)
    folder = SessionFolder.find(root / ".lve")
    folder.update(status=status)
    run("--retry-errors", *at(server), "--max-requests", "50", code=code)
    assert folder.info()["status"] == after


def test_new_rows_of_a_complete_session_are_counted(root: Path, run: Run) -> None:
    write_sums(root / "t", 2)
    run("t", "--model", "replay")
    write_sums(root / "t", 5)
    result = run("--retry-errors", code=4)
    assert "not run: about 3 results\n" in result.stdout
    session = SessionFolder.find(root / ".lve").info()
    assert f"go on with: lve run --resume {session['session']}\n" in result.stdout
    assert session["status"] == "complete"


def test_a_resumed_pass_rate_ends_where_one_that_went_through_ends(
    root: Path, run: Run, server: ModelServer
) -> None:
    expect = {"pass_rate": ">=0.9"}
    write_sums(root / "t", 1, expect=expect, default_model_args={"temperature": 1})
    run("t", *at(server), "--max-requests", "20", code=6)
    assert len(server.requests) == 20
    resumed = run("--resume", *at(server), "--max-requests", "100")
    assert "43/43" in resumed.stdout
    assert len(server.requests) == 43, "a test that is decided sends nothing more"
