"""Bounds of a mean by betting."""

from __future__ import annotations

import math
import random

import pytest

from lve.verdicts.rates.betting_bounds import STAKES, STEPS, log_wealth, mean_bounds


def test_the_stakes_are_the_whole_wealth() -> None:
    assert math.fsum(part for _, part in STAKES) == pytest.approx(1)
    assert all(0 < stake < 1 for stake, _ in STAKES)


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.93])
def test_the_expected_wealth_stays_1_at_the_true_mean(mean: float) -> None:
    """All outcomes of three shares that are 0, 1/2 or 1, in a way that the mean is `mean`."""
    half = min(mean, 1 - mean) / 2
    chances = {0.0: 1 - mean - half / 2, 0.5: half, 1.0: mean - half / 2}
    assert math.fsum(share * chance for share, chance in chances.items()) == pytest.approx(mean)
    expected = math.fsum(
        chances[a] * chances[b] * chances[c] * math.exp(log_wealth([(a, 1), (b, 1), (c, 1)], mean))
        for a in chances
        for b in chances
        for c in chances
    )
    assert expected == pytest.approx(1)


def test_bounds_are_where_the_wealth_reaches_its_limit() -> None:
    shares = [(0.5, 3), (0.75, 4), (1.0, 13)]
    low, high = mean_bounds(shares, 0.05)
    assert log_wealth(shares, low) == pytest.approx(math.log(20), abs=1e-4)
    mirrored = [(1 - share, times) for share, times in shares]
    assert log_wealth(mirrored, 1 - high) == pytest.approx(math.log(20), abs=1e-4)
    assert low < 0.9 < high


def test_shares_are_rounded_away_from_both_bounds() -> None:
    exact = mean_bounds([(0.6, 50), (0.8, 50)], 0.05)
    step = 0.9 / STEPS
    between = mean_bounds([(0.6 + step, 50), (0.8 + step, 50)], 0.05)
    assert between[0] == exact[0]
    assert between[1] > exact[1]


def test_any_number_of_different_shares_takes_bounded_time() -> None:
    source = random.Random(1)
    shares = [(source.random(), 1) for _ in range(100_000)]
    low, high = mean_bounds(shares, 0.025)
    assert 0.49 < low < 0.5 < high < 0.51


def test_many_shares_give_narrow_bounds() -> None:
    low, high = mean_bounds([(0.9, 500_000), (1.0, 500_000)], 0.025)
    assert 0.945 < low < 0.95 < high < 0.955


def test_one_share_gives_wide_bounds_and_none_the_widest() -> None:
    assert mean_bounds([], 0.05) == (0.0, 1.0)
    low, high = mean_bounds([(1.0, 1)], 0.05)
    assert 0 < low < 0.06
    assert high == 1.0
