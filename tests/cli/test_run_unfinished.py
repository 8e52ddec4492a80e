"""A session that was stopped early: what its report says of the tests that aren't through."""

from __future__ import annotations

import json
from pathlib import Path

from support.folders import write_sums
from support.run_command import Run, at
from support.server import ModelServer

WRONG = {"checker_name": "LambdaChecker", "func": "lambda r, a, b: int(a) != 1"}


def test_tests_that_have_begun_are_told(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "good", 20)
    result = run("good", *at(server), "--max-requests", "5")
    assert "? good · openai/test · 5/5 passed\n    unfinished: 5 done\n" in result.stdout
    assert result.exit_code == 6


def test_failures_so_far_are_told(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "bad", 20, checker_args=WRONG)
    result = run("bad", *at(server), "--max-requests", "5")
    assert (
        "✗ bad · openai/test · 4/5 passed\n"
        "    1 of 5 failed; unfinished: 5 done\n"
        "    instances/main.jsonl:2: "
    ) in result.stdout


def test_tests_that_have_not_begun_are_counted_only(
    root: Path, run: Run, server: ModelServer
) -> None:
    for name in ("a", "b"):
        write_sums(root / name, 10)
    result = run(".", *at(server), "--max-requests", "5", "-j", "1", "--max-tests", "1")
    assert "? a ·" in result.stdout
    assert "b ·" not in result.stdout
    assert "not run: about 15 instances\n" in result.stdout


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
    )
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    tests = {one["path"]: one["reason"] for one in lines if one["type"] == "test"}
    assert tests == {"a": "", "b": "unfinished: 2 done", "c": "unfinished: 0 done"}
    assert sum(one["type"] == "test" for one in lines) == 3
