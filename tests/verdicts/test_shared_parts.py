"""Tallies that share parts say the same as before."""

from __future__ import annotations

import pytest
from support.results import make_result

from lve.pipeline.run_of_test import MAX_RESULTS, SharedParts
from lve.spec.spec import Expectation
from lve.verdicts.answer_counts import AnswerCounts
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

PARTS = {
    *("numbers", "coverage", "answers", "asked", "error_kinds", "agreement"),
    *("examples", "calibration", "instances"),
}


def tally_of(summary: Summary, test: str, *verdicts: str, model: str = "m") -> Tally:
    tally = summary.expect(test, model, Expectation())
    for line, verdict in enumerate(verdicts, 1):
        tally.add(make_result(test=test, model=model, line=line, verdict=verdict))
    return tally


def shared_by(one: Tally, other: Tally) -> set[str]:
    return {name for name in PARTS if getattr(one, name) is getattr(other, name)}


def test_equal_tallies_share_all_their_parts() -> None:
    summary, parts = Summary(), SharedParts()
    first, second = (tally_of(summary, test, "passed") for test in "ab")
    assert not shared_by(first, second)
    for tally in (first, second):
        parts.share(tally)
    assert shared_by(first, second) == PARTS


@pytest.mark.parametrize("verdict", ["failed", "error", "inconclusive"])
def test_different_ones_share_what_is_equal_and_say_the_same(verdict: str) -> None:
    whole, shared, parts = Summary(), Summary(), SharedParts()
    for summary in (whole, shared):
        for test, verdicts in (("a", ["passed"]), ("b", [verdict]), ("c", ["passed", verdict])):
            tally_of(summary, test, *verdicts)
    for tally in shared.tallies.values():
        parts.share(tally)
    assert shared.to_json() == whole.to_json()
    assert shared.results_text() == whole.results_text()
    first, second, third = shared.tallies.values()
    assert {"numbers", "examples", "instances"}.isdisjoint(shared_by(first, second))
    assert {"asked", "agreement"} <= shared_by(first, second) & shared_by(second, third)
    assert "numbers" not in shared_by(second, third)


def test_each_field_of_a_part_tells_it_from_others() -> None:
    parts, summary = SharedParts(), Summary()
    tally, other = tally_of(summary, "a"), tally_of(summary, "b")
    tally.answers = AnswerCounts()
    other.answers = AnswerCounts(first_tokens_s=0.5)
    other.answers.usage.reasoning_tokens = 0
    parts.share(tally)
    parts.share(other)
    assert other.answers.first_tokens_s == 0.5
    third = tally_of(summary, "c")
    third.answers.usage.cached_tokens = 7
    parts.share(third)
    assert (tally.answers.usage.cached_tokens, third.answers.usage.cached_tokens) == (0, 7)


def test_a_tally_that_is_shared_is_replaced_where_it_stands_before_it_counts() -> None:
    summary, parts = Summary(), SharedParts()
    for test in "abc":
        parts.share(tally_of(summary, test))
    begun = tally_of(summary, "b", "failed")
    assert not begun.is_shared
    assert [*summary.tallies] == [("a", "m"), ("b", "m"), ("c", "m")]
    assert [tally.total for tally in summary.tallies.values()] == [0, 1, 0]
    assert summary.expect("b", "m", Expectation()) is begun


def test_a_tally_of_many_results_is_left_alone() -> None:
    summary, parts = Summary(), SharedParts()
    tally = tally_of(summary, "a", *["passed"] * (MAX_RESULTS + 1))
    parts.share(tally)
    assert not tally.is_shared
