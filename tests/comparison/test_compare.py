from __future__ import annotations

import random
from pathlib import Path

import pytest
from comparison.compared import compared, verdicts

from lve.comparison.compare import adjusted_p
from lve.errors import UsageError
from lve.verdicts.rates.paired import mcnemar

SAME = "P" * 20


def test_flips_are_counted_and_found_with_both_results(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("PPFFP"), verdicts("PFPFP"))
    (test,) = found.tests
    assert test.difference is not None
    assert test.difference.counts == (5, 1, 1)
    assert [(flip.kind, flip.line) for flip in found.flips] == [("broken", 2), ("fixed", 3)]
    before, now = found.results_of(found.flips[0])
    assert before is not None
    assert now is not None
    assert (before.line, before.verdict, now.verdict) == (2, "passed", "failed")


def test_six_broken_instances_are_worse_and_five_can_not_be(tmp_path: Path) -> None:
    six = compared(tmp_path, verdicts("P" * 6), verdicts("F" * 6))
    assert six.tests[0].difference is not None
    assert six.tests[0].difference.standing == "worse"
    assert six.has_significant_drop
    five = compared(tmp_path / "five", verdicts("P" * 5), verdicts("F" * 5))
    assert five.tests[0].difference is not None
    assert five.tests[0].difference.standing == "blind"
    assert five.tests[0].difference.detectable is None
    assert not five.has_significant_drop


def test_what_got_better_is_no_regression(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("F" * 8), verdicts("P" * 8))
    assert found.tests[0].difference is not None
    assert found.tests[0].difference.standing == "better"
    assert not found.has_significant_drop


def test_a_drop_below_the_threshold_is_no_regression(tmp_path: Path) -> None:
    before, now = verdicts("P" * 80), verdicts("F" * 8 + "P" * 72)
    assert compared(tmp_path, before, now, threshold=0.09).regressions
    assert not compared(tmp_path, before, now, threshold=0.1).has_significant_drop


def test_alpha_decides(tmp_path: Path) -> None:
    before, now = verdicts("P" * 7), verdicts("F" * 7)
    assert compared(tmp_path, before, now, alpha=0.02).has_significant_drop
    assert not compared(tmp_path, before, now, alpha=0.01).has_significant_drop


def test_many_tests_are_judged_more_carefully(tmp_path: Path) -> None:
    """Six broken instances are significant alone (p = 0.03), and not as one of twenty tests."""
    names = [f"t{number}" for number in range(20)]
    before = [one for name in names for one in verdicts(SAME, name)]
    now = [one for name in names[1:] for one in verdicts(SAME, name)]
    now += verdicts("F" * 6 + "P" * 14, "t0")
    found = compared(tmp_path, before, now)
    assert found.tests[0].difference is not None
    assert found.tests[0].difference.p.p == pytest.approx(1 / 32)
    assert found.tests[0].difference.adjusted > 0.5
    assert not found.has_significant_drop


def test_a_small_drop_in_every_test_is_a_regression_of_all_together(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(10)]
    before = [one for name in names for one in verdicts("PPPP", name)]
    now = [one for name in names for one in verdicts("PPPF", name)]
    found = compared(tmp_path, before, now)
    assert found.regressions == ()
    assert found.overall is not None
    assert found.overall.clusters == 40
    assert found.overall.standing == "worse"
    assert found.has_significant_drop


def test_repeats_of_an_instance_count_as_one_cluster(tmp_path: Path) -> None:
    """Eight flips of two instances are no eight independent ones."""
    found = compared(tmp_path, verdicts("PPPP PPPP PPPP"), verdicts("FFFF FFFF PPPP"))
    assert found.tests[0].difference is not None
    assert found.tests[0].difference.clusters == 3
    assert found.tests[0].difference.p == (0.5, "permutation")
    assert found.broken == 8


def test_errors_are_no_verdict_on_either_side(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("EPEP"), verdicts("PEEP"))
    assert found.tests[0].no_verdict == 3
    assert found.tests[0].difference is not None
    assert found.tests[0].difference.counts.pairs == 1


def test_what_only_errors_are_left_of_has_no_difference(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("EE"), verdicts("PP"))
    assert found.tests[0].difference is None
    assert not found.has_significant_drop


def test_new_and_gone_instances_are_counted(tmp_path: Path) -> None:
    before = [*verdicts("PP"), *verdicts("P", "gone")]
    now = [*verdicts("PPF"), *verdicts("F", "new")]
    found = {one.test: one for one in compared(tmp_path, before, now).tests}
    assert (found["t"].new, found["t"].gone) == (1, 0)
    assert (found["gone"].gone, found["new"].new) == (1, 1)
    assert found["new"].difference is None


def test_advice_is_no_regression(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("P" * 9), verdicts("F" * 9, advisory=True))
    assert found.tests[0].is_advisory
    assert found.tests[0].difference is not None
    assert found.tests[0].difference.standing == "worse"
    assert not found.has_significant_drop


def test_models_that_both_sides_have_are_compared_with_themselves(tmp_path: Path) -> None:
    before = [*verdicts("PP", model="a"), *verdicts("PP", model="b")]
    now = [*verdicts("FP", model="b"), *verdicts("FF", model="c")]
    (test,) = compared(tmp_path, before, now).tests
    assert (test.model_before, test.model_now, test.new) == ("b", "b", 0)


def test_the_only_models_of_both_sides_are_compared(tmp_path: Path) -> None:
    (test,) = compared(tmp_path, verdicts("PP", model="a"), verdicts("FP", model="b")).tests
    assert test.model == "a → b"


def test_models_can_be_chosen(tmp_path: Path) -> None:
    both = [*verdicts("PP", model="a"), *verdicts("FP", model="b")]
    found = compared(tmp_path, both, both, models=("a", "b"))
    assert (found.broken, len(found.tests)) == (1, 1)
    with pytest.raises(UsageError, match="the later side has no model 'c': it has a, b"):
        compared(tmp_path / "c", both, both, models=("a", "c"))


def test_several_models_without_a_common_one_must_be_chosen(tmp_path: Path) -> None:
    before = [*verdicts("P", model="a"), *verdicts("P", model="b")]
    with pytest.raises(UsageError, match="--models BEFORE NOW"):
        compared(tmp_path, before, verdicts("P", model="c"))


def test_two_sessions_without_a_common_instance_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        compared(tmp_path, verdicts("PP", "one"), verdicts("P", "other"))
    assert "have no row in common" in str(error.value)
    assert "2 results in session 2026" in str(error.value)
    assert "1 result in session 2026" in str(error.value)
    assert "\n" not in str(error.value)


def test_recorded_answers_are_no_earlier_result_of_a_model(tmp_path: Path) -> None:
    replayed = verdicts("PP", model="replay")
    with pytest.raises(UsageError, match="people may have written them"):
        compared(tmp_path, replayed, verdicts("FF", model="m"))
    found = compared(tmp_path / "r", replayed, verdicts("PF", model="replay"))
    assert found.broken == 1


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        ({"a": "PP", "b": "PP"}, {"a": "EE", "b": "PP"}, ["a"]),
        ({"a": "FF", "b": "PP"}, {"a": "EE", "b": "PP"}, ["a"]),
        ({"a": "EE", "b": "PP"}, {"a": "PP", "b": "PP"}, []),
        ({"a": "PP", "b": "PP"}, {"a": "PE", "b": "PP"}, ["a"]),
        ({"a": "EE", "b": "EE"}, {"a": "PP", "b": "PP"}, ["a", "b"]),
    ],
)
def test_tests_that_errors_hide_are_named(
    tmp_path: Path, before: dict[str, str], now: dict[str, str], names: list[str]
) -> None:
    sides = [[x for test in side for x in verdicts(side[test], test)] for side in (before, now)]
    found = compared(tmp_path, *sides)
    assert [one.test for one in found.unjudged] == names


def test_errors_of_a_test_that_only_advises_hide_nothing(tmp_path: Path) -> None:
    before = [*verdicts("PP", "a"), *verdicts("PP", "b")]
    now = [*verdicts("EE", "a", advisory=True), *verdicts("PP", "b")]
    assert compared(tmp_path, before, now).unjudged == ()


def test_among_more_tests_only_a_larger_drop_is_found(tmp_path: Path) -> None:
    alone = compared(tmp_path, verdicts(SAME), verdicts(SAME)).tests[0].difference
    several = [x for test in "abcd" for x in verdicts(SAME, test)]
    among = compared(tmp_path / "among", several, several).tests[0].difference
    assert alone is not None
    assert among is not None
    assert alone.detectable is not None
    assert among.detectable is not None
    assert among.detectable > alone.detectable


def test_five_tests_of_five_rows_that_all_break_are_worse_together(tmp_path: Path) -> None:
    """None of them can be significant alone, and all together were judged as five tests."""
    before = [one for name in "abcde" for one in verdicts("PPPPP", name)]
    now = [one for name in "abcde" for one in verdicts("FFFFF", name)]
    found = compared(tmp_path, before, now)
    assert found.overall is not None
    assert found.overall.adjusted < 1e-6
    assert found.has_significant_drop


def test_what_one_test_gains_does_not_hide_what_another_loses(tmp_path: Path) -> None:
    before = [*verdicts("P" * 20, "a"), *verdicts("F" * 20, "b")]
    now = [*verdicts("F" * 20, "a"), *verdicts("P" * 20, "b")]
    found = compared(tmp_path, before, now)
    assert found.overall is not None
    assert found.overall.change.value == 0
    assert [test.test for test in found.regressions] == ["a"]


@pytest.mark.parametrize(
    ("tests", "overall", "adjusted"),
    [
        ([0.01, 0.04], None, [0.02, 0.04]),
        ([0.01, 0.04], 0.5, [0.04, 0.08]),  # half of alpha is for all together
        ([0.01, 0.04], 0.001, [0.02, 0.04]),  # they differ: their half is passed on
        ([0.01, 0.04], 0.015, [0.03, 0.04]),
        ([], None, []),
    ],
)
def test_p_values_are_adjusted_for_each_other_and_for_all_together(
    tests: list[float], overall: float | None, adjusted: list[float]
) -> None:
    assert adjusted_p(tests, overall) == pytest.approx(adjusted)


def test_a_false_alarm_among_all_tests_is_as_rare_as_alpha() -> None:
    """Four tests and their sum, with nothing changed, 4,000 times."""
    source, alarms, rounds = random.Random(6), 0, 4000
    for _ in range(rounds):
        flips = [(_flips(source), _flips(source)) for _ in range(4)]
        tests = [mcnemar(*one) for one in flips]
        overall = mcnemar(*map(sum, zip(*flips, strict=True)))
        alarms += min(2 * overall, *adjusted_p(tests, overall)) <= 0.05
    assert alarms / rounds <= 0.055


def _flips(source: random.Random) -> int:
    return sum(source.random() < 0.3 for _ in range(40))
