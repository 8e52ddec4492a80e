"""Mean scores and categories."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test
from support.results import make_result

from lve.extensions.breakdown.text import SHOWN_CATEGORIES
from lve.reporting.text import number_lines
from lve.spec.load import load_spec
from lve.verdicts.breakdown import MAX_CATEGORIES, REST, Breakdown


def test_errors_and_missing_scores_do_not_count() -> None:
    numbers = Breakdown("topic", "f1")
    for verdict, score in [
        ("passed", 1.0),
        ("failed", 0.25),
        ("error", None),
        ("failed", math.nan),
    ]:
        numbers.add(make_result(verdict=verdict, score=score, args={"topic": "a"}))
    group = numbers.categories["a"]
    assert (group.counts["passed"], group.judged, group.counts["error"]) == (1, 3, 1)
    assert group.score == numbers.whole.score == 0.625
    mean, line = number_lines(numbers, width=100)
    assert mean == "mean f1 0.625 over 2"
    assert line.split() == ["a", "33.3%", "1/3", "passed,", "1", "error,", "mean", "f1", "0.625"]


def test_a_column_of_unique_values_keeps_memory_bounded() -> None:
    numbers = Breakdown("id")
    for n in range(MAX_CATEGORIES + 50):
        numbers.add(make_result(args={"id": n}))
    assert len(numbers.categories) == MAX_CATEGORIES + 1
    assert numbers.categories[REST].judged == 50
    lines = list(number_lines(numbers, width=80))
    assert len(lines) == SHOWN_CATEGORIES + 1
    assert lines[-1].startswith("and 181 more (")


def test_a_category_that_is_known_still_counts_where_new_ones_do_not() -> None:
    numbers = Breakdown("id")
    for n in [*range(MAX_CATEGORIES + 1), 0, 0]:
        numbers.add(make_result(args={"id": n}))
    assert numbers.categories["0"].judged == 3
    assert numbers.categories[REST].judged == 1


def test_hostile_category_names_are_escaped() -> None:
    numbers = Breakdown("c")
    numbers.add(make_result(args={"c": "\x1b[2J\nx"}))
    [line] = number_lines(numbers, width=80)
    assert "\x1b" not in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("results", "is_scale"),
    [
        ([], False),
        ([("passed", None), ("failed", None)], False),
        ([("passed", 1.0), ("failed", 0.0)], False),  # the same as the pass rate
        ([("passed", 0.0), ("failed", 1.0)], False),
        ([("passed", 1.0), ("failed", 0.5)], True),
        ([("passed", 0.5)], True),
        ([("passed", -1.0)], True),
        ([("passed", 1.0 + 1e-12)], False),
    ],
)
def test_a_mean_score_is_worth_a_line_where_it_is_no_pass_rate(
    results: list[tuple[str, float | None]], *, is_scale: bool
) -> None:
    numbers = Breakdown()
    for verdict, score in results:
        numbers.add(make_result(verdict=verdict, score=score))
    assert numbers.is_scale is is_scale


@pytest.mark.parametrize(
    ("check", "metric"),
    [
        ({"checker_name": "RegexChecker", "pattern": "x"}, "score"),
        ({"checker_name": "AnswerChecker", "answer": "x", "metric": "f1"}, "f1"),
        ({"checker_name": "AnswerChecker", "answer": "x"}, "accuracy"),
    ],
)
def test_a_score_has_the_name_of_its_metric(
    tmp_path: Path, check: dict[str, Any], metric: str
) -> None:
    spec = load_spec(write_test(tmp_path / "t", checker_args=check), root=tmp_path)
    assert Breakdown.of(spec).metric == metric
