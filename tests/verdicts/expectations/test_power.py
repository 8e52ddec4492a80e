"""How likely a pass rate is decided."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from lve.spec.spec import Expectation
from lve.verdicts.expectations.power import (
    instances_for_power,
    outcome_probabilities,
    rates_around_threshold,
    repeats_for_power,
)
from lve.verdicts.rates.statistics import judge_rate

AT_LEAST_90 = Expectation("rate", ">=", 0.9)


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("rate", [1.0, 0.95, 0.85, 0.6])
def test_the_probabilities_are_those_of_many_simulated_tests(rate: float, sequential: bool) -> None:
    instances, repeats, tries = 5, 20, 2000
    found = outcome_probabilities(AT_LEAST_90, instances, repeats, sequential=sequential, rate=rate)
    dice, ends, runs = Random(1), Counter[str](), 0
    for _ in range(tries):
        decision, done = simulated(dice, rate, instances, repeats, sequential)
        ends[decision] += 1
        runs += done
    assert found.passed == pytest.approx(ends["passed"] / tries, abs=0.04)
    assert found.failed == pytest.approx(ends["failed"] / tries, abs=0.04)
    assert found.runs == pytest.approx(runs / tries, rel=0.05)


def simulated(
    dice: Random, rate: float, instances: int, repeats: int, sequential: bool
) -> tuple[str, int]:
    """Return how a test with random results ends, and after how many runs."""
    passed = 0
    for total in range(1, instances * repeats + 1):
        passed += dice.random() < rate
        if total % instances == 0 and (sequential or total == instances * repeats):
            decision = judge_rate(AT_LEAST_90, passed, total, sequential=sequential)
            if decision != "inconclusive":
                return decision, total
    return "inconclusive", instances * repeats


def test_the_repeats_that_decide_are_those_of_the_probabilities() -> None:
    repeats = repeats_for_power(AT_LEAST_90, 5, 100, rate=0.8, power=0.8)
    assert repeats is not None
    enough = outcome_probabilities(AT_LEAST_90, 5, repeats, sequential=True, rate=0.8)
    fewer = outcome_probabilities(AT_LEAST_90, 5, repeats - 1, sequential=True, rate=0.8)
    assert enough.passed + enough.failed >= 0.8 > fewer.passed + fewer.failed
    assert repeats_for_power(AT_LEAST_90, 5, repeats - 1, rate=0.8, power=0.8) is None


def test_the_instances_that_decide_are_those_of_the_probabilities() -> None:
    enough = instances_for_power(AT_LEAST_90, 1, rate=0.8, power=0.8)
    assert enough is not None
    assert outcome_probabilities(AT_LEAST_90, enough, 1, sequential=False, rate=0.8).decided >= 0.8
    assert (
        outcome_probabilities(AT_LEAST_90, enough // 2, 1, sequential=False, rate=0.8).decided < 0.8
    )


def test_of_many_repeats_some_are_followed() -> None:
    few = outcome_probabilities(AT_LEAST_90, 1, 100, sequential=True, rate=0.8)
    many = outcome_probabilities(AT_LEAST_90, 1, 10_000, sequential=True, rate=0.8)
    assert few.decided < 0.6 < 0.99 < many.decided


def test_the_rates_around_the_threshold_begin_with_the_best() -> None:
    assert rates_around_threshold(AT_LEAST_90) == (1.0, 0.95, 0.85, 0.8)
    assert rates_around_threshold(Expectation("rate", "<=", 0.1)) == (0.0, 0.05, 0.15, 0.2)


def test_rates_around_0_and_1_are_within() -> None:
    assert rates_around_threshold(Expectation("rate", ">", 0.0)) == (0.1, 0.05)
    assert rates_around_threshold(Expectation("rate", "<", 1.0)) == (0.9, 0.95)
