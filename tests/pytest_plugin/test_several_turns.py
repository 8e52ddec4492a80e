"""Tests with several answers as pytest items, in one process and in two, and from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lve

Write = Callable[..., Path]
PROMPT = [
    {"content": "Name the capital of {country}."},
    {"role": "assistant", "variable": "city"},
    {"content": "Are you sure that it is {city}?"},
    {"role": "assistant", "variable": "again"},
]
STANDS_BY = {"city": "Paris", "again": "Yes, Paris."}
GIVES_IN = {"city": "Paris", "again": "No, Lyon."}
RUNS = [{"prompt": [{"content": "Where is {country}?"}], "repetitions": 2}]


@pytest.fixture
def written(write_test: Write) -> None:
    """Two tests, each with an instance that passes and one that fails."""
    keys: dict[str, Any] = {"checker_args": None}
    answers: Any = [(STANDS_BY, True), (GIVES_IN, False)]
    write_test("turns", answers, prompt=PROMPT, check={"contains": "{city}", "on": "again"}, **keys)
    answers = [(["here", "Here."], True), (["here", "there"], False)]
    keys |= {"prompt": None, "multi_run_prompt": RUNS, "check": {"consistency": "text"}}
    write_test("runs", answers, **keys)


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize("processes", [[], ["-n", "1"]])
def test_items_say_which_answer_is_wrong(pytester: pytest.Pytester, processes: list[str]) -> None:
    result = pytester.runpytest("repository", "--lve-replay", "-q", *processes)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "*answer 'again': 'Paris' doesn't occur in the answer*",
            "*'here' in 1 of 2 (run 1 of 2); 'there' in 1 of 2 (run 2 of 2)*",
        ]
    )


@pytest.mark.usefixtures("written")
def test_python_gets_the_same(pytester: pytest.Pytester) -> None:
    result = lve.run(pytester.path / "repository", model="replay", keep=False)
    assert sorted((one.test, one.verdict) for one in result.results) == [
        ("repository/runs", "failed"),
        ("repository/runs", "passed"),
        ("repository/turns", "failed"),
        ("repository/turns", "passed"),
    ]
