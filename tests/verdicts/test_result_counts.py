"""Results of tests, added up."""

from __future__ import annotations

import pytest
from support.results import make_result, tally_of

from lve.checkers.contract import Outcome
from lve.checkers.questions import Answer
from lve.messages import Completion, Transcript, Usage
from lve.spec.spec import Expectation
from lve.verdicts.answer_counts import MAX_MODELS
from lve.verdicts.calibration_status import CalibrationStatus
from lve.verdicts.coverage import Coverage
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.result_counts import MAX_EXAMPLES
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

RATE = Expectation("rate", ">=", 0.8)


def test_examples_are_the_first_unexpected_ones_and_few() -> None:
    tally = tally_of("5p 9f", Expectation("pass"))
    assert [note.reason for note in tally.examples] == ["why f"] * MAX_EXAMPLES
    assert [note.verdict for note in tally_of("2f 1p", Expectation("fail")).examples] == ["passed"]


def test_old_and_new_verdicts_are_compared() -> None:
    tally = Tally("t", "m")
    for recorded, verdict in [
        ("passed", "passed"),
        ("failed", "failed"),
        ("passed", "failed"),
        ("failed", "passed"),
        ("passed", "error"),
        (None, "passed"),
    ]:
        tally.add(make_result(recorded=recorded, verdict=verdict))
    agreement = tally.agreement
    assert (agreement.compared, agreement.same) == (4, 2)
    assert (agreement.now_failed, agreement.now_passed) == (1, 1)
    assert [(note.recorded, note.verdict) for note in tally.agreement.changes] == [
        ("passed", "failed"),
        ("failed", "passed"),
    ]


def test_usage_and_cost_add_up_and_no_price_is_no_cost() -> None:
    tally = Tally("t", "m")
    tally.add(make_result(usage=Usage(1, 2)))
    assert tally.answers.cost is None
    tally.add(make_result(usage=Usage(3, 4), cost=0.5, cached=True))
    assert tally.answers.usage == Usage(4, 6)
    assert tally.answers.cost == 0.5
    assert tally.answers.cached == 1


def test_a_server_with_a_new_model_id_for_every_answer_fills_no_memory() -> None:
    tally = Tally("t", "m")
    for number in range(2 * MAX_MODELS):
        transcript = Transcript((), (Completion("a", model=f"id-{number}"),))
        tally.add(make_result(transcripts=(transcript,)))
    assert len(tally.answers.served) == MAX_MODELS


def answered_after(seconds: float | None, *, cached: bool = False) -> Transcript:
    return Transcript((), completions=(Completion("hi", first_token_s=seconds, cached=cached),))


def test_first_tokens_are_those_of_streamed_answers_that_were_not_cached() -> None:
    summary = Summary()
    for test, seconds in (("a", 0.1), ("a", 0.2), ("b", 0.6), ("b", None)):
        summary.add(make_result(test=test, transcripts=(answered_after(seconds),)))
    summary.add(make_result(transcripts=(answered_after(9.0, cached=True),)))
    assert summary.first_token_s() == pytest.approx(0.3)
    assert summary.to_json()["first_token_s"] == 0.3
    assert Summary().to_json()["first_token_s"] is None


def corrected(expect: Expectation, *, sequential: bool = False) -> Estimate:
    """Return the corrected rate of 20 instances with 5 repeats each, a quarter of which fail."""
    errors = JudgeErrors(0.9, 100, 0.9, 100)
    tally = Tally("t", "m", expect, is_sequential=sequential, calibration=CalibrationStatus(errors))
    for line in range(1, 21):
        verdict: Outcome = "failed" if line % 4 == 0 else "passed"
        for repeat in range(5):
            tally.add(make_result(source="rows.csv", line=line, repeat=repeat, verdict=verdict))
    found = tally.corrected()
    assert found is not None
    assert found.value == pytest.approx((0.75 + 0.9 - 1) / 0.8)
    return found


def test_a_corrected_rate_rests_on_what_the_raw_one_rests_on() -> None:
    fixed = corrected(Expectation("rate", threshold=0.5))
    decided = corrected(Expectation("rate", threshold=0.5), sequential=True)
    population = corrected(Expectation("rate", threshold=0.5, claim="population"))
    assert fixed.clusters == 100
    assert decided.clusters < 80
    assert population.clusters < 25
    assert fixed.low > decided.low > population.low


def test_failures_that_run_again_are_no_sample_of_which_a_rate_is_corrected() -> None:
    """Nor is one result: what comes out would be about the judge."""
    errors = CalibrationStatus(JudgeErrors(0.9, 100, 0.9, 100))
    whole = Tally("t", "m", RATE, calibration=errors)
    failures = Tally("t", "m", RATE, calibration=errors, coverage=Coverage(has_failures_only=True))
    for tally in (whole, failures):
        tally.add(make_result(source="rows.csv", line=1))
        assert tally.corrected() is None
        tally.add(make_result(source="rows.csv", line=2))
    assert whole.corrected() is not None
    assert failures.corrected() is None


def test_a_rate_is_corrected_only_if_the_errors_are_those_of_who_judged() -> None:
    errors = JudgeErrors(0.9, 100, 0.9, 100, frozenset({"j-1"}))
    tally = Tally("t", "m", calibration=CalibrationStatus(errors))
    for line, model in ((1, "j-1"), (2, None)):
        answer = Answer("k", "judge", "j", Completion("yes", model=model))
        tally.add(make_result(source="rows.csv", line=line, asked=(answer,)))
    assert tally.corrected() is not None
    tally.add(
        make_result(
            source="rows.csv",
            line=3,
            asked=(Answer("k", "judge", "j", Completion("", model="j-2")),),
        )
    )
    assert tally.corrected() is None
    assert not tally.is_advisory
    tally.calibration.errors = errors._replace(is_required=True)
    assert tally.is_advisory
