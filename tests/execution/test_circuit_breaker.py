"""A model that refuses everything for the same reason is not asked for ever."""

from __future__ import annotations

import pytest

from lve.error_kinds import MODEL_WIDE_KINDS
from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.execution.retry import REFUSALS, CircuitBreaker

NO_KEY = PermanentModelError("401: no", kind="authentication", status=401)
GONE = TransientModelError("no server", kind="unreachable", was_sent=False)
BAD = PermanentModelError("400: bad", kind="bad_request", status=400)


def fail(breaker: CircuitBreaker, error: ModelError, times: int) -> None:
    for _ in range(times):
        breaker.check()
        breaker.failed(error)


@pytest.mark.parametrize("kind", sorted(MODEL_WIDE_KINDS))
def test_a_few_equal_errors_are_enough(kind: str) -> None:
    breaker = CircuitBreaker("openai/x")
    fail(breaker, PermanentModelError("it says no", kind=kind), REFUSALS)
    with pytest.raises(PermanentModelError) as caught:
        breaker.check()
    assert caught.value.kind == "not_asked"
    assert str(caught.value) == "not asked, as openai/x failed 5 times in a row: it says no"
    assert caught.value.cause == "it says no"


def test_an_answer_or_another_error_in_between_begins_the_count_anew() -> None:
    breaker = CircuitBreaker("openai/x")
    fail(breaker, NO_KEY, REFUSALS - 1)
    breaker.answered()
    fail(breaker, NO_KEY, REFUSALS - 1)
    fail(breaker, BAD, 1)
    fail(breaker, NO_KEY, REFUSALS - 1)
    fail(breaker, GONE, REFUSALS - 1)
    breaker.check()


def test_a_number_of_the_request_makes_no_other_error() -> None:
    breaker = CircuitBreaker("openai/x")
    for i in range(REFUSALS):
        breaker.check()
        text = f"401: wrong key (request id: req_{i}f3a)"
        breaker.failed(PermanentModelError(text, kind="authentication", status=401))
    with pytest.raises(PermanentModelError, match="req_4f3a"):
        breaker.check()


def test_errors_of_single_requests_never_add_up() -> None:
    breaker = CircuitBreaker("openai/x")
    fail(breaker, BAD, 10 * REFUSALS)
    breaker.check()


def test_an_answer_that_was_under_way_does_not_begin_everything_anew() -> None:
    breaker = CircuitBreaker("openai/x")
    fail(breaker, NO_KEY, REFUSALS)
    breaker.answered()
    breaker.failed(BAD)
    with pytest.raises(PermanentModelError, match="401: no"):
        breaker.check()


def test_a_server_was_reached_once_anything_was_sent() -> None:
    breaker = CircuitBreaker("openai/x")
    breaker.attempt_failed(GONE)
    assert not breaker.was_reached
    breaker.attempt_failed(NO_KEY)
    assert breaker.was_reached
    breaker.attempt_failed(GONE)
    assert breaker.was_reached
