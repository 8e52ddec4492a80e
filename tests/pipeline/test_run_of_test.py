"""How far a test has come, and whether it needs more repeats."""

from __future__ import annotations

from pathlib import Path

from support.results import make_result

from lve.pipeline.run_of_test import TestRun
from lve.spec.model import Expectation, Spec

RATE = Expectation(kind="rate", comparison=">=", threshold=0.5, confidence=0.9, max_repeats=30)


def begun(expect: Expectation = RATE, points: tuple[int, ...] = (8, 30)) -> TestRun:
    spec = Spec(Path("t/test.json"), Path("t"), "t", "c", "n", "d", expect=expect)
    return TestRun(spec, "dummy/dummy", points)


def test_pytest_collects_no_run_of_a_test() -> None:
    assert not TestRun.__test__


def test_it_ends_when_the_rate_is_clear() -> None:
    run = begun()
    assert run.next_repeats() == range(8)
    for repeat in range(8):
        run.count_round(make_result(repeat=repeat, verdict="passed"))
    assert not run.needs_more()


def test_it_goes_on_while_the_rate_is_open_and_ends_with_the_last_checkpoint() -> None:
    run = begun()
    run.next_repeats()
    for repeat in range(8):
        run.count_round(make_result(repeat=repeat, verdict="passed" if repeat % 2 else "failed"))
    assert run.needs_more()
    assert run.next_repeats() == range(8, 30)
    assert not run.needs_more()


def test_errors_do_not_end_the_repeats_early() -> None:
    run = begun()
    run.next_repeats()
    for repeat in range(8):
        run.count_round(make_result(repeat=repeat, verdict="passed" if repeat < 6 else "error"))
    assert run.needs_more()


def test_a_model_that_refuses_everything_is_not_asked_for_repeats() -> None:
    run = begun()
    run.next_repeats()
    for repeat in range(8):
        run.count_round(make_result(repeat=repeat, verdict="error", error_kind="not_asked"))
    assert not run.needs_more()


def test_results_of_later_repeats_do_not_count_before_their_turn() -> None:
    """A session that is resumed has them already, and decides as one that went through."""
    run = begun()
    run.next_repeats()
    for repeat in range(20):
        verdict = "passed" if repeat >= 8 or repeat % 2 else "failed"
        run.count_round(make_result(repeat=repeat, verdict=verdict))
    assert run.needs_more()
