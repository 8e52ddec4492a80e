"""How many problems are told, and what counts the rest, with one fewer, as many and one more."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.errors import Problem
from lve.limits.problems import (
    MAX_PROBLEMS,
    MAX_ROW_PROBLEMS,
    MoreProblems,
    first_problems,
    limit_problems,
)
from lve.plurals import amount

FILE = Path("test.yaml")


def problems(number: int) -> list[Problem]:
    return [Problem(f"problem {i}", FILE, code="wrong_type") for i in range(number)]


@pytest.mark.parametrize(
    ("number", "more", "said"),
    [
        (0, 0, None),
        (MAX_PROBLEMS - 1, 0, None),
        (MAX_PROBLEMS, 0, None),
        (MAX_PROBLEMS + 1, 0, "1 more problem is not described"),
        (MAX_PROBLEMS + 2, 0, "2 more problems are not described"),
        (3, 1, "1 more problem is not described"),
        (MAX_PROBLEMS + 1, 1_999, "2,000 more problems are not described"),
    ],
)
def test_a_list_is_counted_to_its_end(number: int, more: int, said: str | None) -> None:
    described = problems(number)[:MAX_PROBLEMS]
    first = first_problems(problems(number), more)
    assert first[: len(described)] == described
    assert [problem.message for problem in first[len(described) :]] == ([said] if said else [])


def test_the_rest_is_of_the_first_file_or_of_the_one_that_is_named() -> None:
    for file in (None, Path("other.yaml")):
        last = first_problems(problems(MAX_PROBLEMS + 1), file=file)[-1]
        assert (last.file, last.code) == (file or FILE, "more_problems")


@pytest.mark.parametrize("number", [0, 1, MAX_PROBLEMS - 1, MAX_PROBLEMS, MAX_PROBLEMS + 1, 200])
def test_a_lazy_iterable_is_read_one_further_than_is_told(number: int) -> None:
    items = iter(problems(number))
    first = first_problems(items)
    is_more = number > MAX_PROBLEMS
    assert len(first) == min(number, MAX_PROBLEMS) + is_more
    assert len(list(items)) == max(number - MAX_PROBLEMS - 1, 0)
    assert isinstance(first[-1] if first else None, MoreProblems) == is_more


def test_what_counts_others_is_added_to_what_counts() -> None:
    counted = first_problems(problems(MAX_PROBLEMS + 4))
    last = first_problems([*problems(2), counted[-1], counted[-1]], 1)[-1]
    assert isinstance(last, MoreProblems)
    assert last.count == 9
    some = first_problems(iter(problems(MAX_PROBLEMS + 1)))[-1]
    last = first_problems([*problems(2), some, counted[-1]])[-1]
    assert isinstance(last, MoreProblems)
    assert last.count is None
    assert last.message == "there are more problems than these"


@pytest.mark.parametrize("number", [0, 1, MAX_ROW_PROBLEMS, MAX_ROW_PROBLEMS + 1, 1500])
def test_rows_go_on_after_the_last_problem_that_is_told(number: int) -> None:
    items = list(limit_problems(["a", *problems(number), "b"]))
    told = [item for item in items if isinstance(item, Problem)]
    rest = max(number - MAX_ROW_PROBLEMS, 0)
    assert [item for item in items if isinstance(item, str)] == ["a", "b"]
    assert len(told) == min(number, MAX_ROW_PROBLEMS) + bool(rest)
    assert not rest or told[-1].code == "more_problems"
    assert not rest or told[-1].message.startswith(f"{amount(rest, 'more row', 'is')} wrong")
