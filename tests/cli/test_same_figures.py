"""The figures of a session are the same wherever they are shown."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from support.command_line import call
from support.folders import write_sums
from support.openai_answers import Answer, Received, sum_or_echo
from support.run_command import Run, at
from support.server import model_server


def test_run_score_and_a_resumed_session_have_the_same_figures(root: Path, run: Run) -> None:
    expect = {"pass_rate": ">=0.6", "max_repeats": 12}
    write_sums(root / "t", 4, expect=expect, default_model_args={"temperature": 1})
    dice = Random(1)

    def mostly_right(request: Received) -> Answer:
        return "-1" if dice.random() < 0.4 else sum_or_echo(request)

    with model_server(mostly_right) as server:
        words = ["--json", "--no-cache"]
        run("t", *at(server), *words, "--max-requests", "9", code=6)
        ended = run("--resume", "--max-requests", "999", *words, "--base-url", server.url, code=4)
    once = figures_of(call("score", "last", "--json")[1])
    assert figures_of(ended.stdout)["flakiness"] == once["flakiness"]
    assert figures_of(ended.stdout) == once
    assert once["flakiness"]["flaky"] > 0
    assert once["at_k"]


def figures_of(text: str) -> dict[str, Any]:
    (test,) = json.loads(text)["tests"]
    names = ("verdict", "reason", "pass_rate", "population", "flakiness", "at_k")
    return {name: test[name] for name in names}


def test_the_summary_of_several_tests_says_what_holds_for_tests_like_these(
    root: Path, run: Run
) -> None:
    for name in "abcd":
        write_sums(root / name, 2)
    words = [".", "--model", "replay"]
    assert "tests like these" not in run(*words, "-v").stdout
    write_sums(root / "e", 2)
    assert "tests like these" not in run(*words).stdout
    (line,) = (one for one in run(*words, "-v").stdout.splitlines() if "tests like these" in one)
    assert line.startswith("tests like these: pass rate ")
    assert line.endswith(" from 5 tests")
