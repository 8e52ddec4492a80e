"""How many instances, repeats or runs decide a pass rate."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lve.spec.spec import Expectation
from lve.verdicts.expectations.sample_size import (
    best_case,
    instances_needed,
    repeats_needed,
    what_would_decide,
)
from lve.verdicts.rates.population import decide_about_population
from lve.verdicts.rates.statistics import judge_rate

AT_LEAST_90 = Expectation("rate", ">=", 0.9)


def said(*counts: tuple[int, int], claim: Literal["these", "population"] = "these") -> str:
    expect = Expectation("rate", ">=", 0.9, claim=claim)
    return what_would_decide(expect, {one: counts.count(one) for one in counts}, False)


def test_runs_are_reported_and_how_many_repeats_that_is() -> None:
    assert (
        said((5, 5), (5, 5))
        == "at this rate about 29 results would decide (15 repeats of all rows)"
    )
    assert said((9, 10)) == "at this rate 100,000 results wouldn't decide"


@pytest.mark.parametrize("counts", [(28, 30), (25, 30), (1, 2)])
def test_that_many_runs_decide(counts: tuple[int, int]) -> None:
    runs = int(re.search(r"about ([\d,]+) result", said(counts))[1].replace(",", ""))  # type: ignore[index]
    expect = Expectation("rate", ">=", 0.9)
    passed = round(counts[0] / counts[1] * runs)
    assert judge_rate(expect, passed, runs) != "inconclusive"


@given(
    st.sampled_from([">=", ">", "<=", "<"]),
    st.sampled_from([0.05, 0.3, 0.5, 0.9, 0.99]),
    st.booleans(),
    st.integers(1, 200),
    st.data(),
)
def test_from_there_on_any_number_of_runs_decides_and_one_fewer_does_not(
    comparison: Any, threshold: float, sequential: bool, total: int, data: st.DataObject
) -> None:
    expect = Expectation("rate", comparison, threshold)
    open_counts = [
        passed
        for passed in range(total + 1)
        if judge_rate(expect, passed, total, sequential=sequential) == "inconclusive"
    ]
    assume(open_counts)
    passed = data.draw(st.sampled_from(open_counts))

    def is_decided(runs: int) -> bool:
        share = Fraction(passed, total) * runs  # rounded towards the threshold
        whole = math.floor(share) if passed > threshold * total else math.ceil(share)
        return judge_rate(expect, whole, runs, sequential=sequential) != "inconclusive"

    text = what_would_decide(expect, {(passed, total): 1}, sequential)
    least = re.search(r"about ([\d,]+) result", text)
    assume(least is not None)
    runs = int(least[1].replace(",", ""))  # type: ignore[index]
    assert all(is_decided(number) for number in range(runs, runs + 200))
    assert runs == total + 1 or not is_decided(runs - 1)


def test_a_population_is_known_better_from_more_instances() -> None:
    text = said(*[(1, 1)] * 10, claim="population")
    assert text == "about 30 rows like these would decide"
    expect = Expectation("rate", ">=", 0.9, claim="population")
    assert decide_about_population(expect, {(1, 1): 30}, 0) == "passed"


def test_one_instance_and_few_repeats_can_fail_but_not_pass() -> None:
    found = best_case(AT_LEAST_90, 1, 20, sequential=True)
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
    assert best_case(expect, 1, repeats, sequential=sequential).can_pass
    assert not best_case(expect, 1, repeats - 1, sequential=sequential).can_pass
    assert best_case(expect, instances, 5, sequential=sequential).can_pass
    assert not best_case(expect, instances - 1, 5, sequential=sequential).can_pass


def test_no_number_of_runs_shows_that_nothing_ever_fails() -> None:
    assert repeats_needed(Expectation("rate", ">=", 1.0), 1000, sequential=True) is None
    assert instances_needed(Expectation("rate", "<=", 0.0), 30, sequential=True) is None
