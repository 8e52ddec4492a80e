"""Files with very many wrong lines: the first are explained, the others counted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lve.data.instances import iter_instances
from lve.errors import Problem
from lve.problem_limits import MAX_ROW_PROBLEMS, limit_problems
from lve.spec.load import load_spec
from lve.spec.model import Instance

LINES = 60_000
"""Explaining each of them took a minute."""
TEST = {
    "description": "x",
    "model": "dummy/dummy",
    "prompt": [{"content": "Say {q}"}],
    "prompt_parameters": ["q"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": "x", "match_safe": True},
}
WRONG = {"open": "{\n", "list": "[1]\n", "entry": '{"args": {}, "passed": 7}\n'}


def read(folder: Path, place: str, line: str, count: int) -> list[Instance | Problem]:
    document = {**TEST, "dataset": "rows.jsonl"} if place == "rows.jsonl" else TEST
    (folder / "test.json").write_text(json.dumps(document))
    file = folder / place
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"q": 1, "args": {"q": 1}}\n' + line * count + '{"args": {"q": 2}, "q": 2}\n')
    return list(limit_problems(iter_instances(load_spec(folder, root=folder))))


@pytest.mark.parametrize("place", ["rows.jsonl", "instances/all.jsonl"])
def test_broken_lines_are_cheap(tmp_path: Path, place: str) -> None:
    started = time.monotonic()
    found = read(tmp_path, place, "{\n", LINES)
    problems = [str(each) for each in found if isinstance(each, Problem)]
    assert len(found) == MAX_ROW_PROBLEMS + 3
    assert f"{place}:2:1: " in problems[0]
    assert f"{LINES - MAX_ROW_PROBLEMS:,} more rows are wrong" in problems[-1]
    assert f"{place}:{LINES + 1}: " in problems[-1]
    assert time.monotonic() - started < 12


@pytest.mark.parametrize("wrong", WRONG)
def test_good_lines_among_them_are_read(tmp_path: Path, wrong: str) -> None:
    found = read(tmp_path, "instances/all.jsonl", WRONG[wrong], MAX_ROW_PROBLEMS + 50)
    assert [each.line for each in found if isinstance(each, Instance)] == [
        1,
        MAX_ROW_PROBLEMS + 52,
    ]
    assert "50 more rows are wrong" in str(found[-1])


def test_only_the_first_are_looked_at_closely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0
    import lve.data.problems as module

    original = module.json_problem

    def scan(*args: Any, **named: Any) -> object:
        nonlocal looked
        looked += 1
        return original(*args, **named)

    monkeypatch.setattr(module, "json_problem", scan)
    read(tmp_path, "rows.jsonl", "{\n", MAX_ROW_PROBLEMS + 500)
    assert looked == MAX_ROW_PROBLEMS
