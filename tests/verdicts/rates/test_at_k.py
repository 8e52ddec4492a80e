"""pass@k and its relatives."""

from __future__ import annotations

from itertools import combinations

import pytest

from lve.verdicts.rates.at_k import at_k, chance_of


@pytest.mark.parametrize(("passed", "total", "k"), [(3, 7, 2), (0, 5, 3), (5, 5, 5), (4, 6, 1)])
def test_the_chance_is_the_share_of_all_subsets(passed: int, total: int, k: int) -> None:
    results = [True] * passed + [False] * (total - passed)
    subsets = [sum(subset) for subset in combinations(results, k)]
    for least in range(1, k + 1):
        share = sum(good >= least for good in subsets) / len(subsets)
        assert chance_of(passed, total, k, least) == pytest.approx(share)


def test_the_chances_are_means_over_instances() -> None:
    found = at_k({(10, 10): 2, (0, 10): 1, (5, 10): 1, (2, 3): 4}, 5)
    assert found is not None
    assert found.instances == 4, "three results tell nothing about five"
    assert found.any_passes.value == pytest.approx((2 + 1 - 1 / 252) / 4)
    assert found.all_pass.value == pytest.approx((2 + 1 / 252) / 4)
    assert found.majority.value == pytest.approx(2.5 / 4)
    assert found.share_passes.value == pytest.approx((2 + 26 / 252) / 4), "4 of 5"
    for one in (found.any_passes, found.all_pass, found.majority, found.share_passes):
        assert 0 <= one.low <= one.value <= one.high <= 1


def test_one_instance_has_the_interval_of_its_rate() -> None:
    found = at_k({(9, 10): 1}, 3)
    assert found is not None
    assert found.all_pass.low == pytest.approx(0.5549839**3, rel=1e-5)
    assert found.any_passes.high == pytest.approx(1 - (1 - 0.9974714) ** 3, rel=1e-5)
    assert at_k({(2, 2): 1}, 3) is None
