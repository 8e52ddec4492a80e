"""Files with very many wrong lines: the first are explained, the others counted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lve.data.instances import iter_instances
from lve.data.problems import LineProblems
from lve.errors import Problem
from lve.limits.problems import MAX_ROW_PROBLEMS, limit_problems
from lve.spec.load import load_spec
from lve.spec.spec import Instance

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


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("rows.jsonl", f'{{"q": [{"1, " * 70_000}\n'),
        ("instances/all.jsonl", f'{{"args": {{"q": [{"1, " * 70_000}1]}}, "passed": 7}}\n'),
    ],
    ids=["rows", "instances"],
)
def test_long_lines_are_explained_up_to_a_total_length(
    place: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 broken lines of 1 MB took over a minute to explain."""
    looked = counted_explanations(monkeypatch)
    found = read(tmp_path, place, line, 40)
    problems = [str(each) for each in found if isinstance(each, Problem)]
    assert len(problems) == 40
    assert 1 <= len(looked) <= 6
    assert problems[-1].endswith("is wrong, as many lines before it")


def test_the_first_wrong_line_is_explained_however_long_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = counted_explanations(monkeypatch)
    found = read(tmp_path, "rows.jsonl", f'{{"q": "{"x" * 2_000_000}\n', 3)
    problems = [str(each) for each in found if isinstance(each, Problem)]
    assert len(looked) == 1
    assert "a line break or control character inside a text" in problems[0]
    assert "is wrong, as many lines before it" in problems[1]


def counted_explanations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with each explained line."""
    import lve.data.problems as module

    looked: list[int] = []
    original = module.LineProblems.explained

    def explained(self: LineProblems, number: int, explain: Any, size: int) -> Problem | None:
        def counting() -> Problem | None:
            looked.append(number)
            return explain()  # type: ignore[no-any-return]

        return original(self, number, counting, size)

    monkeypatch.setattr(module.LineProblems, "explained", explained)
    return looked
