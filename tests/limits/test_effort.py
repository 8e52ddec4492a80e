"""What may be spent on one test: time of the processor, and comparisons for suggestions."""

from __future__ import annotations

import threading

import pytest

from lve import suggest
from lve.limits import effort as effort_limit
from lve.limits.effort import Effort, SlowTestError, checkpoint, may_compare


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time of the thread, which the test sets."""
    now = [100.0]
    monkeypatch.setattr(effort_limit, "SECONDS", 3.0)
    monkeypatch.setattr(effort_limit, "thread_time", lambda: now[0])
    return now


def test_outside_of_a_test_nothing_is_limited(clock: list[float]) -> None:
    clock[0] += 1e9
    checkpoint("waiting")
    assert may_compare(10**12)


def test_a_step_ends_when_its_time_is_used_up(clock: list[float]) -> None:
    with Effort():
        clock[0] += 3
        checkpoint("describing its problems")
        clock[0] += 0.1
        with pytest.raises(SlowTestError, match="describing its problems takes more than 3 s of"):
            checkpoint("describing its problems")
    checkpoint("describing its problems")


def test_steps_share_the_time_of_one_test(clock: list[float]) -> None:
    shared = Effort()
    with shared:
        clock[0] += 2
    clock[0] += 50  # between the steps, such as for reading rows
    with shared:
        clock[0] += 0.9
        checkpoint("x")
        clock[0] += 0.2
        with pytest.raises(SlowTestError):
            checkpoint("x")


def test_a_step_inside_another_one_gets_no_more_time(clock: list[float]) -> None:
    with Effort():
        clock[0] += 2
        with Effort():
            clock[0] += 1.5
            with pytest.raises(SlowTestError):
                checkpoint("x")


def test_a_step_that_fails_ends(clock: list[float]) -> None:
    with pytest.raises(ZeroDivisionError), Effort():
        _ = 1 / 0
    clock[0] += 10
    checkpoint("x")


def test_other_threads_have_their_own_time(clock: list[float]) -> None:
    errors: list[BaseException] = []

    def other() -> None:
        try:
            checkpoint("x")
        except SlowTestError as error:
            errors.append(error)

    with Effort():
        clock[0] += 10
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert errors == []


def test_suggestions_end_when_they_have_cost_enough() -> None:
    known = [f"word{n}" for n in range(900)]
    with Effort():
        made = [suggest.closest("word", known) is not None for _ in range(60)]
    possible = effort_limit.COMPARISONS // 900
    assert made == [True] * possible + [False] * (60 - possible)
    assert suggest.closest("word", known) is not None
