"""Pass rates corrected for the error rates of a judge."""

from __future__ import annotations

import random

import pytest

from lve.spec.spec import Expectation
from lve.verdicts.expectations.interim import next_interim_analysis
from lve.verdicts.rates.corrected import JudgeErrors, corrected_rate, equivalent_fixed_sample


def test_the_corrected_rate_solves_for_the_true_one() -> None:
    errors = JudgeErrors(0.9, 50, 0.8, 50)
    for true in (0.0, 0.3, 1.0):
        found = corrected_rate(true * 0.9 + (1 - true) * 0.2, 100, errors)
        assert found is not None
        assert found.value == pytest.approx(true)
        assert found.low <= true <= found.high


@pytest.mark.parametrize(
    ("positive", "number", "low", "high"),
    [
        (2, 78, 0.0, 0.1777042736),
        (8, 78, 0.0784716137, 0.3837731341),
        (27, 650, 0.0274600106, 0.1145830257),
    ],
)
def test_limits_are_those_of_lang_and_reiczigel(
    positive: int, number: int, low: float, high: float
) -> None:
    """Samples of Reiczigel et al. (2010), table 2; the limits were worked out apart from lve, from
    the formulas of the paper of 2014."""
    found = corrected_rate(positive / number, number, JudgeErrors(0.5, 100, 0.995, 200))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("passed", "number"), [(7, 20), (90, 100), (999, 1000)])
def test_limits_of_a_judge_without_errors_are_those_of_agresti_and_coull(
    passed: int, number: int
) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    low, high = proportion.proportion_confint(passed, number, method="agresti_coull")
    found = corrected_rate(passed / number, number, JudgeErrors(1.0, 1e15, 1.0, 1e15))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, min(high, 1.0)), abs=1e-9)
    biased = JudgeErrors(0.9, 1e15, 0.8, 1e15)
    moved = corrected_rate(passed / number, number, biased)
    assert moved is not None
    ends = [min(max((end - 0.2) / 0.7, 0), 1) for end in (low, high)]
    assert (min(moved.value, ends[0]), max(moved.value, ends[1])) == pytest.approx(
        (moved.low, moved.high), abs=1e-9
    )


def test_few_labels_make_the_interval_wide() -> None:
    few, many = (corrected_rate(0.8, 1000, JudgeErrors(0.9, n, 0.9, n)) for n in (20, 1000))
    assert few is not None
    assert many is not None
    assert few.value == many.value
    assert few.high - few.low > 2 * (many.high - many.low)


@pytest.mark.parametrize(
    "errors",
    [JudgeErrors(0.5, 50, 0.5, 50), JudgeErrors(0.3, 50, 0.4, 50), JudgeErrors(1.0, 50, 1.0, 0)],
)
def test_a_judge_that_is_no_better_than_a_coin_corrects_nothing(errors: JudgeErrors) -> None:
    assert corrected_rate(0.5, 100, errors) is None


def test_no_results_correct_nothing() -> None:
    assert corrected_rate(0.5, 0, JudgeErrors(0.9, 50, 0.9, 50)) is None


@pytest.mark.parametrize("true", [0.05, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("labels", "results"), [(10, 20), (50, 100), (50, 1000)])
def test_the_interval_covers_the_true_rate(true: float, labels: int, results: int) -> None:
    source, covered, rounds = random.Random(11), 0, 500
    for _ in range(rounds):
        tpr, tnr = (sum(source.random() < 0.9 for _ in range(labels)) / labels for _ in range(2))
        chance = true * 0.9 + (1 - true) * 0.1
        rate = sum(source.random() < chance for _ in range(results)) / results
        found = corrected_rate(rate, results, JudgeErrors(tpr, labels, tnr, labels))
        covered += found is None or found.low <= true <= found.high
    assert covered >= 0.93 * rounds


@pytest.mark.parametrize("true", [0.86, 0.9, 0.95])
def test_the_interval_covers_the_true_rate_where_repeats_end_with_the_decision(true: float) -> None:
    """As little as 85 % if their number is taken as decided in advance."""
    expect = Expectation("rate", ">=", 0.9, max_repeats=150)
    source, covered, rounds = random.Random(5), 0, 200
    for _ in range(rounds):
        tpr, tnr = (sum(source.random() < 0.9 for _ in range(50)) / 50 for _ in range(2))
        passed = done = 0
        while until := next_interim_analysis(
            expect, passed, done, repeats_done=done, max_repeats=150
        ):
            chance = true * 0.9 + (1 - true) * 0.1
            passed += sum(source.random() < chance for _ in range(until - done))
            done = until
        number = equivalent_fixed_sample(passed, done)
        found = corrected_rate(passed / done, number, JudgeErrors(tpr, 50, tnr, 50))
        assert found is not None
        covered += found.low <= true <= found.high
    assert covered >= 0.95 * rounds


@pytest.mark.parametrize(("passed", "total"), [(0, 1), (1, 1), (0, 200), (449, 449)])
def test_results_never_count_as_more_than_they_are(passed: int, total: int) -> None:
    assert 0.5 <= equivalent_fixed_sample(passed, total) <= total


@pytest.mark.parametrize(("passed", "total"), [(50, 100), (170, 200), (9, 12)])
def test_results_that_end_with_the_decision_count_as_fewer(passed: int, total: int) -> None:
    assert 1 < equivalent_fixed_sample(passed, total) < 0.8 * total


@pytest.mark.parametrize(
    ("passed", "total", "confidence", "number"),
    [
        (9, 12, 0.95, 3.92214575),
        (170, 200, 0.95, 69.96045862),
        (50, 100, 0.95, 33.96713412),
        (50, 100, 0.8, 20.03632171),
    ],
)
def test_the_equivalent_sample_is_what_its_definition_gives(
    passed: int, total: int, confidence: float, number: float
) -> None:
    """Worked out apart from lve with scipy: the mean likelihood ratio by `integrate.quad`, each
    bound with half of the error by `optimize.brentq`, then the size of Agresti and Coull's interval
    of this width."""
    found = equivalent_fixed_sample(passed, total, confidence=confidence)
    assert found == pytest.approx(number, abs=1e-6)
