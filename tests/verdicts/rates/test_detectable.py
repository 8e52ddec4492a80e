from __future__ import annotations

import random

import pytest

from lve.verdicts.rates.detectable import min_detectable_drop, min_significant_changes
from lve.verdicts.rates.paired import mcnemar


def rows(number: int, broken: int, fixed: int) -> dict[tuple[int, int], int]:
    return {(-1, 1): broken, (1, 1): fixed, (0, 1): number - broken - fixed}


def drop_of(number: int, broken: int, fixed: int, *, passed: int | None = None) -> float | None:
    passed = number - fixed if passed is None else passed
    return min_detectable_drop(rows(number, broken, fixed), before=passed / number, alpha=0.05)


def test_six_rows_can_show_a_drop_and_five_can_not() -> None:
    assert min_significant_changes(0.05) == 6
    assert drop_of(5, 0, 0) is None
    assert drop_of(6, 0, 0) == pytest.approx(0.8 ** (1 / 6), abs=1e-4)


def test_the_drop_that_a_comparison_has_is_not_counted_as_noise() -> None:
    """Of 10 rows 6 that break are significant, so 4 that broke don't make 99 points of them."""
    assert drop_of(10, 0, 0) == pytest.approx(0.673, abs=0.001)
    assert drop_of(10, 4, 0) == pytest.approx(0.670, abs=0.001)
    assert drop_of(100, 40, 0) == drop_of(100, 0, 0)
    assert drop_of(300, 120, 0) == pytest.approx(drop_of(300, 0, 0), abs=1e-6)


@pytest.mark.parametrize("number", [7, 10, 30, 100, 250])
def test_no_drop_is_larger_than_a_total_loss(number: int) -> None:
    for passed in range(number + 1):
        for flips in (0, 1, 2, 5):
            if flips <= min(passed, number - passed):
                drop = drop_of(number, flips, flips, passed=passed)
                assert drop is None or 0 < drop <= passed / number
                assert drop is not None or mcnemar(passed, 0) > 0.05 or passed < 60


def test_if_few_rows_passed_before_only_their_loss_can_be_noticed() -> None:
    assert drop_of(10, 0, 0, passed=5) is None
    assert drop_of(10, 0, 0, passed=6) == pytest.approx(0.6 * 0.8 ** (1 / 6), abs=1e-4)


@pytest.mark.parametrize("number", [6, 8, 10, 20, 40, 100, 200])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_the_stated_drop_is_noticed_in_four_of_five_samples(number: int, noise: float) -> None:
    """`noise` is the share of rows that flip by chance, half of them in each direction."""
    flips = round(number * noise / 2)
    passed = number - max(flips, number // 5 if flips else 0)
    drop = drop_of(number, flips, flips, passed=passed)
    if drop is None:
        assert number < 10
        return
    before, source, noticed = passed / number, random.Random(7), 0
    broken_share = min(flips / number + drop, before)
    fixed_share = broken_share - drop
    for _ in range(1500):
        broken = sum(source.random() < broken_share / before for _ in range(passed))
        fixed = sum(source.random() < fixed_share / (1 - before) for _ in range(number - passed))
        noticed += broken > fixed and mcnemar(broken, fixed) <= 0.05
    assert 0.75 <= noticed / 1500 <= 0.87


@pytest.mark.parametrize(("noise", "base"), [(0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (0.1, 0.4)])
def test_noise_is_estimated_well_enough_from_one_comparison(noise: float, base: float) -> None:
    """40 rows of which 30 passed: the mean chance of drops that are stated after a comparison."""
    number, passed, source = 40, 30, random.Random(3)
    reached = 0
    for _ in range(400):
        broken = sum(source.random() < (noise / 2 + base) / 0.75 for _ in range(passed))
        fixed = sum(source.random() < noise / 2 / 0.25 for _ in range(number - passed))
        drop = drop_of(number, broken, fixed, passed=passed)
        assert drop is not None
        now = min(noise / 2 + drop, 0.75)
        broken = sum(source.random() < now / 0.75 for _ in range(passed))
        fixed = sum(source.random() < (now - drop) / 0.25 for _ in range(number - passed))
        reached += broken > fixed and mcnemar(broken, fixed) <= 0.05
    assert 0.66 <= reached / 400 <= 0.88, "docs/statistics.md names what the estimate costs"


def test_noise_of_the_same_rows_asks_for_a_larger_drop() -> None:
    quiet, noisy = drop_of(100, 0, 0, passed=80), drop_of(100, 10, 10, passed=80)
    assert quiet is not None
    assert noisy is not None
    assert noisy > 1.5 * quiet


def test_many_results_of_few_tests_show_small_drops() -> None:
    """Twenty tests of a thousand rows, all of them a little worse or better."""
    drop = min_detectable_drop({(-5, 1000): 10, (5, 1000): 10}, before=0.9, alpha=0.05)
    assert drop is not None
    assert 0.002 < drop < 0.01


def test_the_strictest_alpha_among_many_tests_is_computed() -> None:
    differences = {(-1, 1): 300, (1, 1): 250, (0, 1): 450}
    drop = min_detectable_drop(differences, before=0.7, alpha=1e-9 / 1_000_000_000)
    assert drop is not None
    assert 0 < drop < 0.7


def test_nothing_compared_shows_no_drop() -> None:
    assert min_detectable_drop({}, before=0.5, alpha=0.05) is None
