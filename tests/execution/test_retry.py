"""When a failed attempt is made again."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.execution.retry import Attempts, RetryPolicy, forget_values, next_delay

POLICY = RetryPolicy(max_attempts=5, base_s=0.5, cap_s=8.0, deadline_s=100.0)


def transient(retry_after_s: float | None = None) -> TransientModelError:
    return TransientModelError("busy", kind="rate_limit", status=429, retry_after_s=retry_after_s)


@pytest.mark.parametrize(
    ("error", "made", "random", "spent", "expected"),
    [
        # exponential ceiling, full jitter
        (transient(), 1, 0.0, 0.0, 0.0),
        (transient(), 1, 0.5, 0.0, 0.25),
        (transient(), 2, 0.5, 0.0, 0.5),
        (transient(), 3, 0.5, 0.0, 1.0),
        (transient(), 4, 0.5, 0.0, 2.0),
        # no attempts left
        (transient(), 5, 0.5, 0.0, None),
        # the server's word is a minimum
        (transient(3.0), 1, 0.0, 0.0, 3.0),
        (transient(3.0), 1, 0.5, 0.0, 3.25),
        (transient(0.0), 1, 0.5, 0.0, 0.25),
        (transient(3.0), 4, 0.5, 0.0, 3.25),
        # nothing begins after the deadline
        (transient(), 1, 0.5, 99.0, 0.25),
        (transient(), 1, 0.5, 99.9, None),
        (transient(200.0), 1, 0.0, 0.0, None),
        # permanent failures fail at once
        (PermanentModelError("no", kind="bad_request", status=400), 1, 0.5, 0.0, None),
        (ContentFilteredError("no", kind="content_filter"), 1, 0.5, 0.0, None),
        (PermanentModelError("no", kind="auth", retry_after_s=1.0), 1, 0.5, 0.0, None),
    ],
)
def test_next_delay(
    error: ModelError, made: int, random: float, spent: float, expected: float | None
) -> None:
    assert next_delay(error, Attempts(made, spent), random, POLICY) == expected


def test_delays_never_exceed_the_cap() -> None:
    policy = RetryPolicy(max_attempts=100, cap_s=8.0, deadline_s=1e9)
    delays = [next_delay(transient(), Attempts(made), 0.999, policy) for made in range(1, 99)]
    assert max(delay for delay in delays if delay is not None) < 8.0


class Large:
    """An answer that takes much memory."""


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_failed_attempt_holds_no_answer(depth: int) -> None:
    kept: list[Any] = []

    def fail(left: int) -> None:
        answer = Large()
        kept.append(weakref.ref(answer))
        try:
            if left > 1:
                fail(left - 1)
        except ValueError as error:
            raise TransientModelError("no", kind="x") from error
        raise ValueError

    with pytest.raises((ModelError, ValueError)) as raised:
        fail(depth)
    assert [ref() is not None for ref in kept] == [True] * depth
    forget_values(raised.value)
    assert [ref() for ref in kept] == [None] * depth
