"""A model that refuses everything for the same reason is not asked for ever."""

from __future__ import annotations

import pytest

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.execution.retry import REFUSALS, CircuitBreaker
from lve.models.error_kinds import MODEL_WIDE_KINDS

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


HUNG_UP = TransientModelError("http://x: it hung up", kind="connection")


def test_connections_that_never_brought_an_answer_are_given_up() -> None:
    breaker = CircuitBreaker("openai/x")
    fail(breaker, HUNG_UP, REFUSALS)
    with pytest.raises(PermanentModelError, match=r"not asked, .* it hung up"):
        breaker.check()


@pytest.mark.parametrize(
    "proof",
    [
        PermanentModelError("400: bad", kind="bad_request", status=400),
        TransientModelError("it hung up during its answer", kind="connection", status=200),
        TransientModelError("200: no JSON", kind="server_error", status=200),
    ],
    ids=lambda error: str(error.kind),
)
def test_connections_that_break_are_no_reason_once_there_was_an_answer(proof: ModelError) -> None:
    breaker = CircuitBreaker("openai/x")
    breaker.attempt_failed(HUNG_UP)
    assert breaker.is_unanswered(HUNG_UP)
    breaker.attempt_failed(proof)
    assert not breaker.is_unanswered(HUNG_UP)
    fail(breaker, HUNG_UP, 10 * REFUSALS)
    breaker.check()
    assert not breaker.is_unanswered(TransientModelError("late", kind="timeout"))
