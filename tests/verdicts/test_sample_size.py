"""What would decide a pass rate that is inconclusive."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from lve.spec.model import Expectation
from lve.verdicts.rates.population import decide_about_population
from lve.verdicts.rates.statistics import judge_rate
from lve.verdicts.sample_size import what_would_decide


def said(*counts: tuple[int, int], claim: Literal["these", "population"] = "these") -> str:
    expect = Expectation("rate", ">=", 0.9, claim=claim)
    return what_would_decide(expect, {one: counts.count(one) for one in counts}, False)


def test_runs_are_reported_and_how_many_repeats_that_is() -> None:
    assert (
        said((5, 5), (5, 5))
        == "at this rate about 29 runs would decide (15 repeats of all instances)"
    )
    assert said((9, 10)) == "at this rate 100,000 runs wouldn't decide"


@pytest.mark.parametrize("counts", [(28, 30), (25, 30), (1, 2)])
def test_that_many_runs_decide(counts: tuple[int, int]) -> None:
    runs = int(re.search(r"about ([\d,]+) run", said(counts))[1].replace(",", ""))  # type: ignore[index]
    expect = Expectation("rate", ">=", 0.9)
    passed = round(counts[0] / counts[1] * runs)
    assert judge_rate(expect, passed, runs) != "inconclusive"


def test_a_population_is_known_better_from_more_instances() -> None:
    text = said(*[(1, 1)] * 10, claim="population")
    assert text == "about 30 instances like these would decide"
    expect = Expectation("rate", ">=", 0.9, claim="population")
    assert decide_about_population(expect, {(1, 1): 30}, 0) == "passed"
