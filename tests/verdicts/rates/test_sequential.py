"""The sequential test is valid at every interim analysis."""

from __future__ import annotations

import math
from math import comb, log

import pytest

from lve.verdicts.rates.statistics import log_e_value

CLEAR = log(20)
"""Evidence that decides at a confidence of 0.95."""


@pytest.mark.parametrize(
    ("threshold", "passes"), [(0.5, 7), (0.8, 20), (0.9, 43), (0.95, 88), (0.99, 449)]
)
def test_a_perfect_model_is_recognized_early(threshold: float, passes: int) -> None:
    assert log_e_value(passes, 0, threshold) >= CLEAR
    assert log_e_value(passes - 1, 0, threshold) < CLEAR


@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.9])
def test_the_expected_fortune_is_what_the_gambler_began_with(threshold: float) -> None:
    for runs in (1, 5, 40):
        mean = sum(
            comb(runs, passed)
            * threshold**passed
            * (1 - threshold) ** (runs - passed)
            * math.exp(log_e_value(passed, runs - passed, threshold))
            for passed in range(runs + 1)
        )
        assert mean == pytest.approx(1)


def test_the_ends_of_the_scale() -> None:
    assert log_e_value(1, 5, 0) == math.inf
    assert log_e_value(0, 5, 0) == 0
    assert log_e_value(5, 0, 1) == -math.inf
    assert log_e_value(0, 0, 0.5) == pytest.approx(0)


def test_it_falls_with_the_threshold_so_bounds_exist() -> None:
    for passed, failed in ((1, 0), (9, 1), (50, 50), (900, 100), (90_000, 10_000)):
        values = [log_e_value(passed, failed, step / 500) for step in range(1, 500)]
        clear = [value >= log(2) for value in values]
        assert clear == sorted(clear, reverse=True)


def test_a_million_results_are_no_trouble() -> None:
    assert log_e_value(901_000, 99_000, 0.9) < CLEAR + 10
    assert log_e_value(910_000, 90_000, 0.9) > CLEAR
    assert log_e_value(890_000, 110_000, 0.9) < 0
