"""The words for counts and rates."""

from __future__ import annotations

import pytest

from lve.checkers.contract import Outcome
from lve.verdicts.wording import (
    percent,
    points_text,
    range_text,
    results_text,
    share_text,
    short_range,
    spread_text,
)


@pytest.mark.parametrize(
    ("low", "high", "has_bounds", "text"),
    [
        (0.82, 0.97, False, "95 % interval 0.820 to 0.970"),
        (0.0, 0.99971, False, "95 % interval 0.000 to 0.999710"),
        (0.8999, 0.9701, True, "at least 0.899 and at most 0.971, each with 95 % confidence"),
        (0.9, 1.0, True, "at least 0.900 with 95 % confidence"),
        (0.0, 0.1, True, "at most 0.100 with 95 % confidence"),
        (0.0, 1.0, True, "at least 0.000 and at most 1.000, each with 95 % confidence"),
        (0.0004, 0.9996, True, "at least 0.000400 and at most 0.999600, each with 95 % confidence"),
    ],
)
def test_an_interval_and_bounds_are_said_as_what_they_are(
    low: float, high: float, has_bounds: bool, text: str
) -> None:
    assert range_text(low, high, 0.95, has_bounds=has_bounds) == text


def test_a_bound_is_never_said_to_be_better_than_it_is() -> None:
    for step in range(1, 10_000):
        value = step / 10_000
        said = range_text(value, value, 0.9, has_bounds=True)
        low, high = said.split(" and at most ")
        assert float(low.split()[-1]) <= value <= float(high.split(",")[0])


def test_a_cell_of_a_table_has_percent() -> None:
    assert short_range(0.5, 0.996, has_bounds=False) == "50% to 99.6%"
    assert short_range(0.5, 1.0, has_bounds=True) == "at least 50%, at most 100%"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "100%"), (0.9999, ">99.9%"), (0.996, "99.6%"), (0.5, "50%"), (0.0005, "<0.1%"), (0, "0%")],
)
def test_only_all_is_100_percent(value: float, text: str) -> None:
    assert percent(value) == text


def test_decimals_of_percent_are_kept() -> None:
    assert (percent(1 / 3, 1), percent(1, 1)) == ("33.3%", "100.0%")


def test_only_all_is_1() -> None:
    assert [share_text(one) for one in (1, 2999 / 3000, 0.5, 0)] == ["1", "0.999667", "0.5", "0"]


@pytest.mark.parametrize(
    ("results", "rows", "models", "repeats", "text"),
    [
        (3, 3, 1, 1, ""),
        (43, 1, 1, 43, "1 row, 43 repeats"),
        (12, 3, 1, 4, "3 rows, 4 repeats each"),
        (11, 3, 1, 4, "3 rows, up to 4 repeats"),
        (6, 3, 2, 1, "3 rows, 2 models"),
        (12, 3, 2, 2, "3 rows, 2 models, 2 repeats each"),
        (8, 1, 2, 4, "1 row, 2 models, 4 repeats each"),
    ],
)
def test_rows_models_and_repeats_are_counted_apart(
    results: int, rows: int, models: int, repeats: int, text: str
) -> None:
    assert spread_text(results, rows=rows, models=models, repeats=repeats) == text


def test_results_are_called_rows_only_where_each_is_another_row() -> None:
    counts: dict[Outcome, int] = {"passed": 43, "failed": 0}
    assert results_text(counts, expected_failures=0, rows=43) == "43 rows: 43 passed"
    said = results_text(counts, expected_failures=0, rows=1, repeats=43)
    assert said == "43 results (1 row, 43 repeats): 43 passed"
    weak: dict[Outcome, int] = {"passed": 1, "failed": 2, "error": 1, "inconclusive": 1}
    said = results_text(weak, expected_failures=1, rows=5)
    assert said == "5 rows: 1 passed, 1 failed, 1 error, 1 inconclusive, 1 failed as expected"
    assert results_text({"failed": 0}, expected_failures=0, rows=0) == "0 rows: none was run"


def test_points_are_whole_where_they_are_many() -> None:
    assert points_text(0.674) == "67 points"
    assert points_text(0.2) == "20 points"
    assert points_text(0.0791) == "7.9 points"
