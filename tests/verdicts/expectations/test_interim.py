"""When a pass rate is analysed, and how often the decision is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from lve.spec.spec import Expectation
from lve.verdicts.expectations.interim import next_interim_analysis
from lve.verdicts.rates.statistics import Decision, judge_rate

RATE = Expectation("rate", ">=", 0.9)
Repeat = Callable[[], int]
"""Gives how many instances passed in one repeat."""


def look_after(
    passed: int, total: int, done: int, *, errors: int = 0, most: int = 100
) -> int | None:
    return next_interim_analysis(
        RATE, passed, total, errors=errors, repeats_done=done, max_repeats=most
    )


def test_repeats_run_side_by_side_until_a_decision_is_possible() -> None:
    assert look_after(0, 0, 0) == 1
    assert look_after(30, 30, 30) == 43, "42 of 42 decide nothing"
    assert look_after(4, 4, 4) == 8, "after twice as many, should all the others fail"
    assert look_after(43, 43, 43) is None


def test_nothing_runs_that_cannot_decide_any_more() -> None:
    assert look_after(36, 40, 40, most=42) is None
    assert look_after(10, 10, 10, most=10) is None


def test_instances_count_together() -> None:
    assert look_after(20, 20, 1) == 2
    assert look_after(40, 40, 2) == 3
    assert look_after(60, 60, 3) is None


def test_errors_end_nothing() -> None:
    assert look_after(43, 43, 44, errors=1) == 45, "it may have failed"
    assert look_after(0, 0, 4, errors=4) == 8
    assert look_after(0, 0, 100, errors=100) is None


def test_nothing_but_errors_ends_the_repeats() -> None:
    assert look_after(0, 0, 19, errors=19) == 38
    assert look_after(0, 0, 20, errors=20) is None
    assert look_after(0, 0, 1, errors=20) is None
    assert look_after(1, 1, 21, errors=20) is not None


def run(expect: Expectation, repeat: Repeat, instances: int) -> tuple[Decision, int]:
    """Return what repeats decide, and how many results that took."""
    passed, done = 0, 0
    while (until := _look(expect, passed, done, instances)) is not None:
        passed += sum(repeat() for _ in range(done, until))
        done = until
    return judge_rate(expect, passed, done * instances, sequential=True), done * instances


@cache
def _look(expect: Expectation, passed: int, done: int, instances: int) -> int | None:
    counts = (passed, done * instances)
    return next_interim_analysis(expect, *counts, repeats_done=done, max_repeats=expect.max_repeats)


def repeats_of(chances: Sequence[float], source: random.Random) -> Repeat:
    return lambda: sum(source.random() < chance for chance in chances)


@pytest.mark.parametrize("threshold", [0.5, 0.9])
@pytest.mark.parametrize("chances", ["one", "alike", "easy and hard"])
def test_looking_often_keeps_the_promise_of_the_confidence(threshold: float, chances: str) -> None:
    """A model just at the threshold is called good or bad in at most 5 % of cases each."""
    expect = Expectation("rate", ">=", threshold, max_repeats=60)
    mixed = [1.0, 1.0, 1.0, 1.0, 5 * threshold - 4] if threshold > 0.8 else [1.0, 0.0]
    given = {"one": [threshold], "alike": [threshold] * 5, "easy and hard": mixed}[chances]
    repeat = repeats_of(given, random.Random(11))
    found = [run(expect, repeat, len(given))[0] for _ in range(1000)]
    assert found.count("passed") <= 60, "50 are expected at most, with a deviation of 7"
    assert found.count("failed") <= 60


def test_clear_models_are_decided_fast() -> None:
    source = random.Random(3)
    for chance, verdict, most in ((1.0, "passed", 43), (0.5, "failed", 12), (0.0, "failed", 3)):
        found = [run(RATE, repeats_of([chance], source), 1) for _ in range(300)]
        assert {decision for decision, _ in found} == {verdict}
        assert sum(calls for _, calls in found) / 300 <= most
