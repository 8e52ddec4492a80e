"""What a pass rate can decide at all."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from lve.spec.model import Expectation
from lve.verdicts.rates.statistics import judge_rate
from lve.verdicts.reach import (
    chance,
    instances_needed,
    instances_that_decide,
    reach,
    repeats_needed,
    repeats_that_decide,
    telling_rates,
)

AT_LEAST_90 = Expectation("rate", ">=", 0.9)


def test_one_instance_and_few_repeats_can_fail_but_not_pass() -> None:
    found = reach(AT_LEAST_90, 1, 20, sequential=True)
    assert (found.can_pass, found.can_fail) == (False, True)
    assert found.best.low < 0.9


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("comparison", [">=", ">", "<=", "<"])
def test_the_numbers_that_are_needed_are_the_least_that_do(
    comparison: Any, sequential: bool
) -> None:
    expect = Expectation("rate", comparison, 0.9 if comparison[0] == ">" else 0.1)
    repeats = repeats_needed(expect, 1, sequential=sequential)
    instances = instances_needed(expect, 5, sequential=sequential)
    assert repeats is not None
    assert instances is not None
    assert reach(expect, 1, repeats, sequential=sequential).can_pass
    assert not reach(expect, 1, repeats - 1, sequential=sequential).can_pass
    assert reach(expect, instances, 5, sequential=sequential).can_pass
    assert not reach(expect, instances - 1, 5, sequential=sequential).can_pass


def test_no_number_of_runs_shows_that_nothing_ever_fails() -> None:
    assert repeats_needed(Expectation("rate", ">=", 1.0), 1000, sequential=True) is None
    assert instances_needed(Expectation("rate", "<=", 0.0), 30, sequential=True) is None


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("rate", [1.0, 0.95, 0.85, 0.6])
def test_the_chances_are_those_of_many_simulated_tests(rate: float, sequential: bool) -> None:
    instances, repeats, tries = 5, 20, 2000
    found = chance(AT_LEAST_90, instances, repeats, sequential=sequential, rate=rate)
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


def test_the_repeats_that_decide_are_those_of_the_chances() -> None:
    repeats = repeats_that_decide(AT_LEAST_90, 5, 100, rate=0.8, power=0.8)
    assert repeats is not None
    enough = chance(AT_LEAST_90, 5, repeats, sequential=True, rate=0.8)
    fewer = chance(AT_LEAST_90, 5, repeats - 1, sequential=True, rate=0.8)
    assert enough.passed + enough.failed >= 0.8 > fewer.passed + fewer.failed
    assert repeats_that_decide(AT_LEAST_90, 5, repeats - 1, rate=0.8, power=0.8) is None


def test_the_instances_that_decide_are_those_of_the_chances() -> None:
    enough = instances_that_decide(AT_LEAST_90, 1, rate=0.8, power=0.8)
    assert enough is not None
    assert chance(AT_LEAST_90, enough, 1, sequential=False, rate=0.8).decided >= 0.8
    assert chance(AT_LEAST_90, enough // 2, 1, sequential=False, rate=0.8).decided < 0.8


def test_of_many_repeats_some_are_followed() -> None:
    few = chance(AT_LEAST_90, 1, 100, sequential=True, rate=0.8)
    many = chance(AT_LEAST_90, 1, 10_000, sequential=True, rate=0.8)
    assert few.decided < 0.6 < 0.99 < many.decided


def test_the_telling_rates_begin_with_the_best() -> None:
    assert telling_rates(AT_LEAST_90) == (1.0, 0.95, 0.85, 0.8)
    assert telling_rates(Expectation("rate", "<=", 0.1)) == (0.0, 0.05, 0.15, 0.2)


def test_the_telling_rates_of_the_ends_are_within() -> None:
    assert telling_rates(Expectation("rate", ">", 0.0)) == (0.1, 0.05)
    assert telling_rates(Expectation("rate", "<", 1.0)) == (0.9, 0.95)
