"""How far a test has come, and whether it needs more repeats."""

from __future__ import annotations

from pathlib import Path

from support.results import make_result

from lve.pipeline.choosing.repeats import RepeatPlan, Rounds
from lve.pipeline.run_of_test import TestRun
from lve.spec.spec import Expectation, Spec

RATE = Expectation(kind="rate", comparison=">=", threshold=0.5, confidence=0.9, max_repeats=30)


def begun(expect: Expectation = RATE) -> TestRun:
    spec = Spec(Path("t/test.json"), Path("t"), "t", "c", "n", "d", expect=expect)
    plan = RepeatPlan(expect.max_repeats, is_sequential=True)
    return TestRun(spec, "dummy/dummy", Rounds(expect, plan))


def test_pytest_collects_no_run_of_a_test() -> None:
    assert not TestRun.__test__


def go_on(run: TestRun, verdicts: str) -> range:
    """Take up repeats and give them these results; return the repeats."""
    repeats = run.rounds.begin()
    names = {"p": "passed", "f": "failed", "e": "error"}
    for repeat in repeats:
        run.rounds.count(make_result(repeat=repeat, verdict=names[verdicts[repeat]]))
    return repeats


def test_it_ends_when_the_rate_is_clear() -> None:
    run = begun()
    taken = []
    while run.needs_more():
        taken.append(go_on(run, "p" * 30))
    assert taken == [range(1), range(1, 5)]


def test_it_goes_on_while_the_rate_is_open_and_ends_with_the_last_repeat() -> None:
    run = begun()
    while run.needs_more():
        go_on(run, "pf" * 15)
    assert 20 < run.rounds.begun <= 30


def test_a_fixed_number_of_repeats_runs_at_once() -> None:
    run = begun()
    run.rounds.plan = RepeatPlan(7)
    assert run.rounds.begin() == range(7)
    assert not run.needs_more()


def test_errors_do_not_end_the_repeats_early() -> None:
    run = begun()
    while run.needs_more():
        go_on(run, "e" * 30)
    assert run.rounds.begun == 30


def test_a_model_that_refuses_everything_is_not_asked_for_repeats() -> None:
    run = begun()
    run.rounds.begin()
    run.rounds.count(make_result(repeat=0, verdict="error", error_kind="not_asked"))
    assert not run.needs_more()


def test_a_test_that_was_given_up_is_not_repeated() -> None:
    run = begun()
    run.rounds.begin()
    run.is_given_up = True
    assert not run.needs_more()


def test_results_of_later_repeats_do_not_count_before_their_turn() -> None:
    """A session that is resumed has them already, and decides as one that went through."""
    run, through = begun(), begun()
    for repeat in range(20):
        run.rounds.count(make_result(repeat=repeat, verdict="passed"))
    while through.needs_more():
        assert run.rounds.begin() == go_on(through, "p" * 20)
    assert not run.needs_more()
