"""Values that checkers give: what is kept of several verdicts."""

from __future__ import annotations

from lve.checkers.contract import Verdict, all_parts, common_code, first_labels


def test_parts_of_several_checks_are_together() -> None:
    verdicts = [Verdict("passed", parts={"a": (1.0,)}), Verdict("failed"), Verdict("passed")]
    assert all_parts(verdicts) == {"a": (1.0,)}
    assert all_parts([*verdicts, Verdict("passed", parts={"b": (2.0,)})]) == {
        "a": (1.0,),
        "b": (2.0,),
    }
    assert all_parts([Verdict("passed")]) is None


def test_of_a_metric_with_different_numbers_there_are_none() -> None:
    good, bad = (Verdict("passed", parts={"a": (n,), "b": (3.0,)}) for n in (1.0, 2.0))
    assert all_parts([good, good]) == {"a": (1.0,), "b": (3.0,)}
    assert all_parts([good, bad]) == {"b": (3.0,)}


def test_a_code_is_kept_that_all_share() -> None:
    assert common_code([Verdict("error", code="a"), Verdict("error", code="a")]) == "a"
    assert common_code([Verdict("error", code="a"), Verdict("error")]) is None


def test_labels_of_a_check_that_passed_count_first_where_any_may() -> None:
    verdicts = [Verdict("failed", labels=("x", "y")), Verdict("passed", labels=("z", "z"))]
    assert first_labels(verdicts) == ("x", "y")
    assert first_labels(verdicts, is_any=True) == ("z", "z")
    assert first_labels([Verdict("passed")]) is None
